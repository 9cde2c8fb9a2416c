"""Each study is run once, for all tests of it."""

import pytest
from study_runs import run_study


@pytest.fixture(scope="session")
def run_of(tmp_path_factory):
    """Call ``run_of(name)`` for the run of a study."""
    runs = {}

    def run(name):
        if name not in runs:
            runs[name] = run_study(name, tmp_path_factory.mktemp(name))
        return runs[name]

    return run
