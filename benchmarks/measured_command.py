"""Run a command and print wall time, peak memory, exit code and output as one JSON object.

This is a separate small script because on Linux a process inherits the peak memory of the process that starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


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
