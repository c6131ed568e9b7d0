"""What is solved: every printed program, literally, in CVXPY; both ends of it in numpy."""

import lazy_loader

# Nothing is imported before it is asked for: __init__.pyi says what there is.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
