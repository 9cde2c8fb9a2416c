"""Studies: a problem, the policies that play on it, its bound, and the folder of the results."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
