"""How it is solved: the conic panel and the papers' own methods, all returning a `Solution`."""

import lazy_loader

# Nothing is imported before it is asked for: __init__.pyi says what there is.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
