"""Kernel learning by convex programming: the programs of five papers, as printed, enclosed.

    solution = cvxkernel.solve("ye2008-thm2.2", kernels=K, y=y, lam=1e-3)
    cvxkernel.check("ye2008-thm2.2", {"kernels": K, "y": y, "lam": 1e-3}, theta=w).within(1e-6)

Three rooms: `cvxkernel.formulations` says what is solved, `cvxkernel.solvers` how, and
`cvxkernel.validation` whether it is true.
"""

import lazy_loader

# Nothing is imported before it is asked for: __init__.pyi says what there is.
_attribute, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *__all__]


def __getattr__(name):
    if name != "__version__":
        return _attribute(name)
    from importlib.metadata import version

    return version("cvxkernel")


def __dir__():
    return __all__
