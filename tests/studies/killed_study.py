"""Run a study and print the number of finished replications; the tests kill it half-way."""

import sys

from semibandits.studies import read_study, run_study


def main(path: str, when: str) -> None:
    def wait(*_: object, **__: object) -> None:
        print("here", flush=True)
        sys.stdin.readline()

    study = read_study(path)
    if when == "before":
        from semibandits_studies.studies import run

        run.play = wait  # the bound is known, and nothing was played
    run_study(study, progress=wait)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
