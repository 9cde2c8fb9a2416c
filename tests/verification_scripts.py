"""Import the scripts in verification/ and experiments/, which import each other by name, as modules."""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERIFICATION, EXPERIMENTS = ROOT / "verification", ROOT / "experiments"


def script(name):
    """The script of this name."""
    folders = [str(VERIFICATION), str(EXPERIMENTS)]
    sys.path[:0] = folders
    try:
        return importlib.import_module(name)
    finally:
        for folder in folders:
            sys.path.remove(folder)
