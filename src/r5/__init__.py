"""r5: learn explicit rules from relational graphs and reason with them.

The public names are listed once, in `__init__.pyi`. Each is imported when it is first used, so that
`r5 --help` does not wait for numba or PyTorch.
"""

from r5._util.lazy_imports import attach_stub

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
