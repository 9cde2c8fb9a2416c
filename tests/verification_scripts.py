"""Import the scripts in verification/, which import each other by name, as modules."""

import importlib
import sys
from pathlib import Path

VERIFICATION = Path(__file__).resolve().parents[1] / "verification"


def script(name):
    """The script of this name."""
    sys.path.insert(0, str(VERIFICATION))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(VERIFICATION))
