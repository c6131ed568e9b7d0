"""Whether it is true: the ledger of claims, files of problems, the command line."""

from cvxkernel.validation import starting  # noqa: F401, I001  (Ctrl-C from here on)

import lazy_loader

# Nothing is imported before it is asked for: __init__.pyi says what there is.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
