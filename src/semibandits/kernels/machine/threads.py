"""Threads of BLAS. For arrays of usual size several of them take longer than one, and sums are rounded otherwise."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Within the block BLAS uses one thread."""
    limit: AbstractContextManager[Any] = _pools().limit(limits=1, user_api="blas")
    return limit


@cache
def _pools() -> ThreadpoolController:
    """The thread pools of this process, looked up once."""
    return ThreadpoolController()
