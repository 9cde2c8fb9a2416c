"""The command line: parse, call, print."""

from semibandits.cli.app import main

__all__ = ["main"]
