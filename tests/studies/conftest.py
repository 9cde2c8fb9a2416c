"""Folders to run studies in, and a dataset with observed outcomes."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from study_cases import ALONE, STUDY, TABLE, run_text, stop

from semibandits import datasets
from semibandits.datasets import Dataset
from semibandits.instances import instance_from_description


@pytest.fixture
def place(tmp_path, monkeypatch, blank_figures):
    """An empty folder with table.csv and study.toml."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Folders of results by what was run, once for all tests: the study, its bound alone, or three replications of it."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("matplotlib.figure.Figure.draw", lambda figure, renderer: None)
        Path("table.csv").write_text(TABLE, encoding="utf-8")
        for name, text in (("played", STUDY), ("alone", ALONE)):
            run_text(text + f'[output]\nfolder = "{name}"\n')
        with pytest.raises(ZeroDivisionError):
            run_text(STUDY + '[output]\nfolder = "begun"\n', progress=stop(3))
    return folder


@pytest.fixture
def played(place, made):
    """The folder of `place` after its study was run."""
    shutil.copytree(made / "played", "study-results")
    return Path("study-results")


@pytest.fixture
def alone(place, made):
    """The folder of `place`, in which study.toml asks for the bound alone, after it was run."""
    Path("study.toml").write_text(ALONE, encoding="utf-8")
    shutil.copytree(made / "alone", "study-results")
    return Path("study-results")


@pytest.fixture
def logged(monkeypatch):
    """A small dataset with outcomes, called logged."""
    logs = tuple(np.random.default_rng(5).normal(mean, 1 + mean, 40 + i) for i, mean in enumerate((0.0, 0.5, 1.0)))
    description = {
        "family": "msets", "name": "Logged things", "size": 1, "theta": [float(log.mean()) for log in logs],
        "variance": [float(log.var()) for log in logs],
    }  # fmt: skip
    instance = instance_from_description(description)
    texts = {"question": "Which one?", "origin": "measured", "provenance": "made up", "licence": "none"}
    dataset = Dataset(name="logged", instance=instance, outcomes=logs, **texts)
    monkeypatch.setattr(datasets, "load", {"logged": dataset}.__getitem__)
    monkeypatch.setattr(datasets, "list_datasets", lambda: ("logged",))
    return dataset
