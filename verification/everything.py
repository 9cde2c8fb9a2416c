"""All long checks of a release, one after the other (`make verify`).

    python verification/everything.py [PART ...] [--list] [--again]

Each part is a command whose exit code says whether its check holds. Its output goes to ``build/verify/PART.log``. A part that has
passed for the sources as they are is not run again, so that an interrupted run goes on where it was; ``--again`` runs it
nevertheless. The exit code is 1 if a part failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "build" / "verify"
"""Output of the parts, and which of them have passed."""
READ: Final = ("src", "tests", "verification", "experiments", "examples", "pyproject.toml")
"""What a part may depend on."""
MUTATED: Final = "certificates solver glpg exchange budgets linear decisions matroids learner storage"


@dataclass(frozen=True)
class Part:
    """A check: arguments of the interpreter, about how many minutes it takes on two cores, and what it answers."""

    command: str
    minutes: int
    question: str


PARTS: Final = {
    "examples": Part(
        "-m pytest -n 2 --dist worksteal --examples=5 -m hypothesis",
        60,
        "do random tests hold for five times as many examples, and other ones than in the suite?",
    ),
    "long-tests": Part("-m pytest -n 2 --dist worksteal -m verify", 3, "do the tests hold that are too long for the suite?"),
    "order": Part("-m pytest -n 2 --dist worksteal --shuffle", 6, "does the suite pass with its files in another order?"),
    "out-of-scale": Part(
        "verification/brackets.py scale", 5, "are brackets right with costs up to 10^15 times as large as the others?"
    ),
    "routes": Part("verification/brackets.py routes", 2, "do bounds over routes agree with all simple paths?"),
    "laws": Part("verification/brackets.py laws", 45, "do bounds of every law agree with an independent program?"),
    "fuzz": Part("verification/fuzz.py --jobs 2", 90, "does hostile input give a right answer or one clear error?"),
    "interrupts": Part("verification/interrupts.py", 15, "does Ctrl-C end every operation in time?"),
    "interrupted-learners": Part(
        "verification/interrupted_learners.py", 4, "does Ctrl-C leave locks, or lose what was acknowledged?"
    ),
    "crashes": Part("verification/crashes.py", 10, "does SIGKILL of processes lose or invent anything (SQLite)?"),
    "crashes-server": Part("verification/crashes.py --server", 15, "and SIGKILL of a server of PostgreSQL?"),
    "away": Part("verification/crashes.py away", 5, "does an outage of SQLite lose or invent anything?"),
    "away-server": Part("verification/crashes.py away --server", 5, "and one of PostgreSQL?"),
    "late-outcomes": Part("verification/late_outcomes.py", 10, "do late, double and partial outcomes count once?"),
    "service": Part(
        "verification/service_fuzz.py", 15, "does a service answer generated requests, and store each once? (extra)"
    ),
    "fleet": Part("verification/fleet.py --minutes 30", 31, "does a service lose or invent anything over many restarts?"),
    "floods": Part("verification/service_floods.py", 2, "how much memory and time do strangers take from a service?"),
    "mutants": Part(
        f"verification/mutants.py {MUTATED} --log build/verify/mutants.jsonl",
        720,
        "do tests fail if the solver, certificates, oracles, learner or storage are changed? (read the survivors in its log)",
    ),
}  # fmt: skip


def main() -> int:
    """Run the parts, or list them; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to run; by default all")
    parser.add_argument("--list", action="store_true", help="print the parts, and which of them have passed")
    parser.add_argument("--again", action="store_true", help="also run parts that have passed")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"PART must be one of {', '.join(PARTS)}, got {unknown[0]!r}")
    KEPT.mkdir(parents=True, exist_ok=True)
    sources, file = digest(), KEPT / "passed.json"
    passed: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    failed = []
    for name in options.parts or PARTS:
        part = PARTS[name]
        is_done = passed.get(name) == sources
        if options.list or (is_done and not options.again):
            state = "passed" if is_done else "not run yet" if name not in passed else "passed for other sources"
            print(f"{name:<21} {state:<25} about {part.minutes:>3} min  {part.question}")
            continue
        print(f"{name:<21} about {part.minutes} min: {part.question}", flush=True)
        begin, log = time.monotonic(), KEPT / f"{name}.log"
        with log.open("w") as output:
            code = subprocess.run(
                [sys.executable, *part.command.split()], cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
            ).returncode
        took = f"{(time.monotonic() - begin) / 60:.1f} min"
        if code:
            failed.append(name)
            print(f"{name:<21} FAILED with exit code {code} after {took}: see {log.relative_to(ROOT)}", flush=True)
            continue
        passed[name] = sources
        file.write_text(json.dumps(passed, indent=1))
        print(f"{name:<21} passed after {took}", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return min(len(failed), 1)


def digest() -> str:
    """Digest of all files that a part may depend on."""
    found = hashlib.sha256()
    for top in READ:
        path = ROOT / top
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(f"{file.relative_to(ROOT)}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
