"""Folders to run studies in, and a dataset with observed outcomes."""

from pathlib import Path

import numpy as np
import pytest
from study_cases import STUDY, TABLE

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


@pytest.fixture
def logged(monkeypatch):
    """A small dataset with outcomes, called logged, and one without, called told."""
    logs = tuple(np.random.default_rng(5).normal(mean, 1 + mean, 40 + i) for i, mean in enumerate((0.0, 0.5, 1.0)))
    description = {
        "family": "msets", "name": "Logged things", "size": 1, "theta": [float(log.mean()) for log in logs],
        "variance": [float(log.var()) for log in logs],
    }  # fmt: skip
    made = {
        name: Dataset(
            name=name,
            question="Which one?",
            instance=instance_from_description(description),
            origin="measured",
            provenance="made up",
            licence="none",
            outcomes=outcomes,
        )
        for name, outcomes in (("logged", logs), ("told", None))
    }
    monkeypatch.setattr(datasets, "load", made.__getitem__)
    monkeypatch.setattr(datasets, "list_datasets", lambda: tuple(made))
    return made["logged"]
