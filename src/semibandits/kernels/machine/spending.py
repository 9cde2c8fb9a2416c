"""Seconds that earlier processes have spent in kernels as Python, kept beside the compiled code.

Without them a command that runs for two seconds would pay these in every process for ever, since none spends enough to compile.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from functools import cache
from typing import Final

from semibandits.kernels.machine.cache import FOLDER, digest, kernel_folder
from semibandits.kernels.machine.conversion import PACKAGE

FILE: Final = "semibandits.spent.json"
LEAST: Final = 0.01
"""Seconds below which a kernel is not listed."""


def spent_before(name: str) -> float:
    """Seconds of a kernel, ``module.name``, in earlier processes on this machine, unless its sources have changed since."""
    stamp, seconds = _listed().get(name, ("", 0.0))
    return seconds if seconds and stamp == _stamp(name) else 0.0


def keep(spent: dict[str, float]) -> None:
    """Write the seconds of kernels, 0 for those that are compiled now; others stay. Where nothing can be written, nothing is."""
    _listed.cache_clear()
    known = _listed()
    new = {name: (_stamp(name), seconds) for name, seconds in spent.items() if LEAST <= seconds < math.inf}
    listed = {name: value for name, value in known.items() if name not in spent} | new
    if listed == known:
        return
    written = kernel_folder() / f"{FILE}.{os.getpid()}"
    with suppress(OSError):
        try:
            written.write_text(json.dumps(listed), encoding="utf-8")
            os.replace(written, kernel_folder() / FILE)
        finally:
            written.unlink(missing_ok=True)
            _listed.cache_clear()


@cache
def _listed() -> dict[str, tuple[str | None, float]]:
    """Digest of the sources and seconds of each kernel in the file; nothing if there is none, or it is damaged."""
    try:
        listed = json.loads((kernel_folder() / FILE).read_text(encoding="utf-8"))
        return {str(name): (stamp, float(seconds)) for name, (stamp, seconds) in listed.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _stamp(name: str) -> str | None:
    """Digest of the sources of a kernel; None if there is no such file."""
    module = name.rpartition(".")[0].removeprefix(PACKAGE)
    file = FOLDER.joinpath(*module.split(".")).with_suffix(".py")
    return digest(file) if file.is_file() else None
