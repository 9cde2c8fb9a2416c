"""A study of examples/studies, run at a small horizon in this process."""

import contextlib
import io
import json
import re
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parents[2]
STUDIES = {path.stem: path for path in sorted((ROOT / "examples" / "studies").glob("*.py"))}
ROUNDS, REPLICATIONS = 300, 2
FEWER_ROUNDS = {"which_assignment": 30}
"""Where OSSB solves a dear plan nearly every other round in the beginning."""


@dataclass(frozen=True)
class Run:
    """Result of a study: printed text, variables, and the folder of its files."""

    printed: str
    names: dict[str, Any]
    folder: Path
    rounds: int

    def payload(self, report):
        """The object from which the report of the study is made."""
        html = (self.folder / report).read_text(encoding="utf-8")
        return json.loads(re.search(r'<script[^>]*"application/json"[^>]*>(.*?)</script>', html, re.DOTALL).group(1))


def run_study(name, folder):
    """Run a study in a folder."""
    rounds = FEWER_ROUNDS.get(name, ROUNDS)
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, mpl.rc_context(), contextlib.redirect_stdout(printed):
        patch.chdir(folder)
        patch.setenv("STUDY_ROUNDS", str(rounds))
        patch.setenv("STUDY_REPLICATIONS", str(REPLICATIONS))
        patch.setenv("STUDY_OUTPUT", "results")
        pyplot.switch_backend("agg")
        names = runpy.run_path(str(STUDIES[name]))
        pyplot.close("all")
    return Run(printed.getvalue(), names, folder / "results", rounds)
