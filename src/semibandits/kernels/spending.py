"""Seconds that earlier processes have spent in kernels as Python, kept beside the compiled code.

Without them a command that runs for two seconds would pay these in every process for ever, since none spends enough to compile.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from functools import cache
from typing import Any, Final

from semibandits.kernels._cache import FOLDER, digest, kernel_folder

FILE: Final = "semibandits.spent.json"
LEAST: Final = 0.01
"""Seconds below which a kernel is not listed."""


@cache
def spent_before() -> dict[str, float]:
    """Seconds by kernel, ``module.name``, of all earlier processes on this machine; without kernels that have changed since."""
    try:
        listed = json.loads((kernel_folder() / FILE).read_text(encoding="utf-8"))
        return {name: float(seconds) for name, (stamp, seconds) in listed.items() if stamp == _stamp(name)}
    except (OSError, ValueError, TypeError, AttributeError):  # there is none, or it is damaged
        return {}


def keep(spent: dict[str, float]) -> None:
    """Write the seconds of kernels, 0 for those that are compiled now; others stay. Where nothing can be written, nothing is."""
    spent_before.cache_clear()
    known = spent_before()
    listed = {name: seconds for name, seconds in (known | spent).items() if LEAST <= seconds < math.inf}
    if listed == known:
        return
    content: dict[str, Any] = {name: (_stamp(name), seconds) for name, seconds in listed.items()}
    new = kernel_folder() / f"{FILE}.{os.getpid()}"
    with suppress(OSError):
        try:
            new.write_text(json.dumps(content), encoding="utf-8")
            os.replace(new, kernel_folder() / FILE)
        finally:
            new.unlink(missing_ok=True)
            spent_before.cache_clear()


def _stamp(name: str) -> str | None:
    """Digest of the sources of a kernel; None if there is no such file."""
    module = name.rpartition(".")[0].removeprefix(f"{__package__}.")
    file = FOLDER.joinpath(*module.split(".")).with_suffix(".py")
    return digest(file) if file.is_file() else None
