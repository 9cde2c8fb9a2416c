"""Combinatorial semi-bandits: choose a structured decision again and again, and learn from its parts."""

import sys
from importlib import import_module
from types import ModuleType

from semibandits._lazy import on_first_use
from semibandits._version import __version__ as __version__

__getattr__, __dir__, __all__ = on_first_use(__name__)


class _Package(ModuleType):
    """The package itself. Here ``graves_lai`` is the function, also once the subpackage of that name has been imported."""

    @property
    def graves_lai(self) -> object:
        return import_module("semibandits.graves_lai.solve").graves_lai

    @graves_lai.setter
    def graves_lai(self, subpackage: ModuleType) -> None:
        """What Python does at the end of that import."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return import_module, (__name__,)


sys.modules[__name__].__class__ = _Package
