"""Instances: a decision set with mean rewards and variances, and their files."""

from semibandits._lazy import on_first_use

__getattr__, __dir__, __all__ = on_first_use(__name__)
