from . import formulations, solvers, validation
from .formulations import errors
from .validation.door import catalogue, check, problem, solve
from .validation.files import load
from .validation.vectors.door import certify

__all__ = [
    "__version__",
    "catalogue",
    "certify",
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
