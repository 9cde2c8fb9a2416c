"""The version, apart from the public names, so that what these import can read it."""

__version__ = "0.1.0"
