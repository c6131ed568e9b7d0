"""What is solved: every printed program, literally, in CVXPY; both ends of it in numpy."""

from cvxkernel.formulations import (
    chen2009,
    gonen2008,
    kernels,
    kim2006,
    kundu2010,
    lanckriet2004,
    rakotomamonjy2008,
    tang2009,
    ye2008,
)
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import CvxkernelError, InputError, SolverError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.program import Program

__all__ = [
    "CATALOGUE",
    "CvxkernelError",
    "Enclosure",
    "Formulation",
    "InputError",
    "Program",
    "SolverError",
    "chen2009",
    "formulation",
    "gonen2008",
    "kernels",
    "kim2006",
    "kundu2010",
    "lanckriet2004",
    "rakotomamonjy2008",
    "tang2009",
    "ye2008",
]
