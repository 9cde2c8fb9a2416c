"""The version, in its own module so that every module can import it."""

__version__ = "0.1.0"
