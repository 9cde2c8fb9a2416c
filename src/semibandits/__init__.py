"""Combinatorial semi-bandits: play structured decisions repeatedly and learn from the rewards of their items."""

from semibandits._lazy import on_first_use
from semibandits._version import __version__ as __version__

__getattr__, __dir__, __all__ = on_first_use(__name__)
