"""The version, in its own module so that every module can import it."""

__version__ = "1.0.0"
