from . import (
    chen2009,
    errors,
    gonen2008,
    kernels,
    kim2006,
    kundu2010,
    lanckriet2004,
    rakotomamonjy2008,
    tang2009,
    ye2008,
)
from .catalogue import CATALOGUE
from .enclosure import Enclosure
from .errors import CvxkernelError, InputError, SolverError
from .formulation import Formulation
from .program import Program

__all__ = [
    "CATALOGUE",
    "CvxkernelError",
    "Enclosure",
    "Formulation",
    "InputError",
    "Program",
    "SolverError",
    "chen2009",
    "errors",
    "gonen2008",
    "kernels",
    "kim2006",
    "kundu2010",
    "lanckriet2004",
    "rakotomamonjy2008",
    "tang2009",
    "ye2008",
]
