"""Modules that importing the library loads, and completeness of lazy names."""

import ast
import importlib
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest

import semibandits as sb

PACKAGES = ["semibandits"] + [
    f"semibandits.{name}"
    for name in (
        "client", "datasets", "instances", "learning", "matroids", "plotting", "policies", "regret_bound", "service",
        "simulation", "studies",
    )
]  # fmt: skip
HEAVY = ("matplotlib", "networkx", "scipy.optimize", "scipy.stats", "distributed", "clarabel")


def loaded_by(code):
    command = [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_library_loads_nothing_of_it():
    loaded = loaded_by("import semibandits")
    assert {name for name in loaded if name.startswith("semibandits")} == {
        "semibandits", "semibandits._lazy", "semibandits._version",
    }  # fmt: skip
    assert not loaded & {"numpy", "numba", "scipy", "networkx", "rich", "typer", "joblib"}


def test_a_learner_loads_no_solver_and_no_dataset():
    sets = "sb.MSets(5, 2), sb.Paths([(0, 1), (1, 2), (0, 2)], 0, 2)"
    loaded = loaded_by(f"import semibandits as sb; [sb.Learner(x, variance=0.5, seed=0) for x in ({sets})]")
    assert not loaded & {*HEAVY, "semibandits.regret_bound.solve", "joblib"}
    assert not {name for name in loaded if name.startswith(("semibandits_server", "semibandits_studies"))}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_stub_exists_and_is_public(package):
    module = importlib.import_module(package)
    stub = ast.parse(Path(f"{module.__file__}i").read_text(encoding="utf-8"))
    imports = [statement for statement in stub.body if isinstance(statement, ast.ImportFrom)]
    assert imports == stub.body
    names = {alias.asname for statement in imports for alias in statement.names}
    assert names == {alias.name for statement in imports for alias in statement.names}
    assert names == set(module.__all__) <= set(dir(module))
    assert all(getattr(module, name) is not None for name in names)


def test_the_package_is_pickled_by_its_name():
    """Workers need this for functions of a script that use the package."""
    assert pickle.loads(cloudpickle.dumps(lambda: sb.MSets))() is sb.MSets


@pytest.mark.parametrize(
    ("module", "name"), [("instances", "read_json"), ("datasets", "load"), ("studies", "read_study"), ("service", "create_app")]
)
def test_what_reports_and_pages_of_1_0_0_print_is_still_imported(module, name):
    assert callable(getattr(importlib.import_module(f"semibandits.{module}"), name))
