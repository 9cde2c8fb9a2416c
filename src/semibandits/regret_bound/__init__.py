"""The Graves-Lai problem: the regret lower bound C(theta) and the exploration plan that attains it."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
