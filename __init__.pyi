from . import formulations, solvers, validation
from .formulations import errors
from .validation.door import catalogue, check, problem, solve
from .validation.files import load

__all__ = [
    "__version__",
    "catalogue",
    "check",
    "errors",
    "formulations",
    "load",
    "problem",
    "solve",
    "solvers",
    "validation",
]

__version__: str
