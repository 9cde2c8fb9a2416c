"""Tasks of the child process: what they cannot finish is dropped, and the child goes on."""

import logging
import time

import pytest

from semibandits.kernels.machine import background as module
from semibandits.kernels.machine.background import Background, Order

pytestmark = pytest.mark.skipif(module.fcntl is None, reason="this system has no such child process")


@pytest.fixture
def background(tmp_path, monkeypatch):
    """Orders with a child and a folder of their own."""
    monkeypatch.setenv(module.SWITCH, "1")
    monkeypatch.setattr(module, "kernel_folder", lambda: tmp_path)
    background = Background()
    yield background
    background.stop()


def test_a_task_that_fails_or_ends_the_child_is_logged_and_dropped(background, caplog, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_DEATHS", 0)
    done = tmp_path / "done"
    with caplog.at_level(logging.WARNING, logger=module.__name__):
        background.request(Order.task("builtins.int", "a secret"))
        background.request(Order.task("os._exit", 1))
        background.request(Order.task("os.mkdir", str(done)))
        deadline = time.monotonic() + 300
        while background.pending and time.monotonic() < deadline:
            time.sleep(0.01)
    assert done.exists()
    assert not background.is_off
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "builtins.int was not finished in the background: ValueError",
        "os._exit was not finished in the background: the child process died",
    ]
