"""Studies: what is decided, who plays, for how long, and where the results are kept."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
