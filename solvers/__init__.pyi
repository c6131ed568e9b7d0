from .alternation import Alternation
from .barrier import Barrier
from .column_generation import ColumnGeneration
from .conic import conic
from .dual_ascent import DualAscent
from .localized import GatingDescent
from .method import Iterative, Method, Solution, Step
from .mirror_descent import MirrorDescent
from .newton import Newton
from .panel import PANEL
from .response_ascent import ResponseAscent
from .route import METHODS, promise, solve
from .spectrum_ascent import SpectrumAscent
from .svm import SupportVectors

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
    "ResponseAscent",
    "Solution",
    "SpectrumAscent",
    "Step",
    "SupportVectors",
    "conic",
    "promise",
    "solve",
]
