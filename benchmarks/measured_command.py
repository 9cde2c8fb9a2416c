"""Run a command and measure wall time and peak memory; as a script, print them as one JSON object.

The script is small and separate because on Linux a process inherits the peak memory of the process that starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def run_command(*command: str) -> dict[str, Any]:
    """Seconds, peak_bytes, exit_code and output of a command in a separate process."""
    finished = subprocess.run([sys.executable, str(Path(__file__)), *command], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout)


def main() -> None:
    """Run the command given by the arguments."""
    start = time.perf_counter()
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, encoding="utf-8")
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    answer = {
        "seconds": time.perf_counter() - start,
        "peak_bytes": usage.ru_maxrss * unit,
        "exit_code": os.waitstatus_to_exitcode(status),
        "output": output,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
