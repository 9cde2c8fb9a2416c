"""Identification of the best decision: how many rounds it takes, and when one may stop."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
