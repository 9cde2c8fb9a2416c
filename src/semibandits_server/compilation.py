"""Compiling kernels for learners in a database."""

from __future__ import annotations

from typing import Final

from semibandits.compilation import compile_for_state, compiling_at_once
from semibandits_server.database.opening import reopened, stored_size

MOST_ITEMS: Final = 10_000
"""Larger learners are not copied to compile for them in the background, which would take much memory and time."""


def compile_for_learner(url: str, name: str) -> None:
    """Compile the kernels that `ask` and `tell` of a learner call; its decision set and policy must be of the library."""
    with compiling_at_once(), reopened(url, name) as stored:
        state = stored.state()
    compile_for_state(state)


def compile_for_served_learner(url: str, name: str) -> None:
    """The same in the background of a service, except for learners of very many items."""
    size = stored_size(url, name)
    if size is not None and size <= MOST_ITEMS:
        compile_for_learner(url, name)
