"""``python -m semibandits.testing`` passes, and an error makes it fail."""

from __future__ import annotations

import subprocess
import sys

from semibandits.testing import __main__ as self_check


def test_all_checks_pass():
    done = subprocess.run(
        [sys.executable, "-m", "semibandits.testing"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) > 25
    assert all(" passed" in line and "without" not in line for line in lines[1:])


def test_a_failure_is_named_and_the_exit_code_tells(monkeypatch, capsys):
    def wrong():
        raise AssertionError("1 must be 2")

    monkeypatch.setattr(self_check, "checks", lambda: iter([("arithmetic", wrong), ("nothing", lambda: None)]))
    assert self_check.main() == 1
    out = capsys.readouterr().out
    assert "FAILED: AssertionError: 1 must be 2" in out
    assert "1 of 2 checks passed" in out
