"""The command line: parse, call, print."""

from semibandits_studies.cli.app import main

__all__ = ["main"]
