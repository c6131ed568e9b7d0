"""How it is solved: the conic panel and the papers' own methods, all returning a `Solution`."""

from cvxkernel.solvers.alternation import Alternation
from cvxkernel.solvers.barrier import Barrier
from cvxkernel.solvers.column_generation import ColumnGeneration
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.dual_ascent import DualAscent
from cvxkernel.solvers.localized import GatingDescent
from cvxkernel.solvers.method import Iterative, Method, Solution, Step
from cvxkernel.solvers.mirror_descent import MirrorDescent
from cvxkernel.solvers.newton import Newton
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.route import METHODS, promise, solve
from cvxkernel.solvers.spectrum_ascent import SpectrumAscent
from cvxkernel.solvers.svm import SupportVectors

__all__ = [
    "METHODS",
    "PANEL",
    "Alternation",
    "Barrier",
    "ColumnGeneration",
    "DualAscent",
    "GatingDescent",
    "Iterative",
    "Method",
    "MirrorDescent",
    "Newton",
    "Solution",
    "SpectrumAscent",
    "Step",
    "SupportVectors",
    "conic",
    "promise",
    "solve",
]
