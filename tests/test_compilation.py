"""After compiling ahead of time nothing more is compiled."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import networkx as nx
import numba
import numpy as np
import pytest

import semibandits as sb
import tiers_scenarios
from semibandits import compilation
from semibandits.decisions.compiled import pointer
from semibandits.families.registry import FAMILIES
from semibandits.kernels import rounds
from semibandits.kernels.machine import tiers
from semibandits.policies.registry import POLICIES
from semibandits_server import compilation as of_learners
from semibandits_studies.cli import main
from semibandits_studies.studies import compilation as of_studies

RARE = {"descend_orthant", "project_on_msets"}
"""For GLPG as published, and on m-sets of which all items are left."""
OTHERS = {"bases_search", "call_index", "draw", "index_search", "no_index"}
"""What compiled rounds call, or pointers stand for, and Python only for decision sets of users."""


def loaded():
    """Versions of the kernels that Python has called in this process, and the number of pointers."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("semibandits.") and not name.startswith("semibandits.kernels"):
            for kernel in vars(module).values():
                if isinstance(kernel, numba.core.dispatcher.Dispatcher):
                    found[kernel.py_func.__module__, kernel.__name__] = len(kernel.overloads)
    return found, pointer.cache_info().currsize


def play(learner, outcomes, number):
    for _ in range(number):
        asked = learner.ask()
        learner.tell(asked.id, outcomes[asked.items])


def other_problems():
    """Run everything on sets, means and rewards that `compile_kernels` does not use."""
    for _, run in islice(tiers_scenarios.everything(), 0, None, 7):
        run()
    for _, space in tiers_scenarios.families():
        theta, variance = np.linspace(0.9, 0.1, space.d), np.linspace(0.3, 0.6, space.d)
        for policy in (sb.GLADE(rewards="bernoulli"), sb.OSSB(rewards="bernoulli")):
            play(sb.Learner(space, policy, seed=1), (theta > 0.5).astype(float), 8)
        space.maximize_budgeted(theta, variance, float(variance @ space.maximize(theta)))
    for routes in (sb.Routes(both_ways(3), 0, 8, 0.3), sb.Routes(nx.complete_graph(5), 0, 4)):
        costs, variance = np.linspace(0.4, 1.9, routes.d), np.linspace(0.3, 0.6, routes.d)
        sb.simulate(routes, sb.GaussianRewards(-costs, variance=variance), [policy() for policy in POLICIES], 30, 1)
        play(sb.Learner(routes, variance=variance, seed=1), -costs, 20)
        sb.graves_lai(routes, -costs, variance)
        routes.maximize_index(-costs, variance)


def both_ways(n):
    """Streets of a grid of n x n nodes, in both directions."""
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(n, n)).to_directed()


def check_in_this_process():
    compilation.compile_kernels()
    before, pointers = loaded()
    called = {key: versions for key, versions in before.items() if not key[0].startswith("semibandits.kernels.oracles.")}
    rules = {name for (module, name), _ in called.items() if module.startswith("semibandits.kernels.rules.")}
    assert rounds.play.overloads
    assert rounds.choose_next.overloads
    assert len(called) > 50
    assert {name for (_, name), versions in called.items() if versions == 0} <= RARE | OTHERS | rules
    assert {name for (_, name), versions in called.items() if versions > 1} == set()
    other_problems()
    after, more = loaded()
    assert {key: versions for key, versions in after.items() if versions != before.get(key, 0)} == {}
    assert more == pointers


@pytest.mark.long
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="without the compiler there is nothing to compile")
def test_afterwards_nothing_more_is_compiled():
    here = Path(__file__)
    code = f"import sys; sys.path.insert(0, {str(here.parent)!r}); import {here.stem}; {here.stem}.check_in_this_process()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_command(run_with, capsys):
    assert run_with(["compile", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("All kernels are compiled (")
    folder = re.search("Cached in (.*) and similar folders", out)[1]
    assert list(Path(folder).glob("rounds.play-*.nbi"))


def test_command_without_the_compiler_or_interrupted(run_with, capsys, monkeypatch):
    monkeypatch.setattr(compilation, "compile_kernels", lambda workers: signal.raise_signal(signal.SIGINT))
    assert run_with(["compile"]) == 130
    assert "compiled kernels are kept" in capsys.readouterr().err
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert run_with(["compile"]) == 2
    assert "NUMBA_DISABLE_JIT=1" in capsys.readouterr().err


@pytest.fixture
def run_with(monkeypatch):
    """Run the program with nothing to compile; returns its exit code."""
    monkeypatch.setattr(compilation, "TASKS", (dict,))
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)

    def run_with(arguments):
        with pytest.raises(SystemExit) as leave:
            main(arguments)
        return leave.value.code

    return run_with


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "0"], "--workers must be a number from 1 to"),
        (["--workers", "-2"], "--workers must be a number from 1 to"),
        (["--workers", "many"], "--workers must be a number from 1 to"),
        (["--family", "matching"], "did you mean matchings or matroid?"),
        (["--policy", "GLAD"], "did you mean 'GLADE'?"),
        (["study.tml"], "study.tml must be a readable study file"),
        (["--name", "courier"], "--name must be used with --storage"),
        (["study.toml", "--family", "msets"], "got STUDY.toml and --family and --policy: keep one of them"),
        (["--storage", "sqlite:///nothing.db"], "must be a database of learners, got no such file"),
    ],
)
def test_command_refuses(run_with, capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run_with(["compile", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_command_of_families_and_policies(run_with, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(compilation, "compile_for_policies", lambda *both: asked.append([[*one] for one in both]))
    assert run_with(["compile", "--family", "partition", "--family", "matroid", "-p", "thompson"]) == 0
    assert run_with(["compile", "--policy", "ESCB:radius=log-loglog", "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("All kernels of ThompsonSampling on matroid are compiled (0 of them now, ")
    assert json.loads("".join(lines[2:]))["compiled"] == 0
    assert asked == [[[FAMILIES["matroid"]], [sb.ThompsonSampling()]], [[*FAMILIES.values()], [sb.ESCB(radius="log-loglog")]]]


def test_of_a_study_one_short_replication_is_played_and_nothing_is_written(run_with, tmp_path, monkeypatch):
    studies = []
    monkeypatch.setattr(of_studies, "run_study", studies.append)
    file = tmp_path / "study.toml"
    file.write_text('[problem]\ndataset = "power-grid"\n[simulation]\npolicies = ["CUCB", "OSSB"]\nhorizon = 1_000_000')
    assert run_with(["compile", str(file)]) == 0
    (study,) = studies
    d = sb.datasets.load("power-grid").decision_set.d
    assert (study.simulation.horizon, study.simulation.replications) == (compilation.ROUNDS + d, 1)
    assert study.output.folder is None
    assert os.listdir(tmp_path) == ["study.toml"]


@pytest.fixture
def as_python(monkeypatch):
    """Kernels are not compiled, which would take too long here."""
    monkeypatch.setattr(tiers, "_tier", "python")


@pytest.mark.parametrize("law", ["bernoulli", "poisson", "gamma:cost", "gaussian:upper=0"])
@pytest.mark.parametrize("policy", [sb.OSSB(), sb.ThompsonSampling()], ids=lambda policy: policy.name)
def test_rounds_of_a_copy_have_possible_outcomes_and_leave_the_learner_as_it_is(as_python, tmp_path, law, policy):
    url = f"sqlite:///{tmp_path}/learners.db"
    space = sb.Routes(both_ways(2), 0, 3, 0.3) if ":" in law else sb.MSets(4, 2)
    given = {} if law.startswith("b") else {"variance": 1.0}
    sb.open_learner(url, name="one", decision_set=space, policy=policy, law=law, **given).close()
    of_learners.compile_for_served_learner(url, "one")
    with sb.open_learner(url, name="one") as learner:
        assert learner.rounds == 0


def test_large_learners_are_not_copied_in_the_background(tmp_path, monkeypatch):
    url, asked = f"sqlite:///{tmp_path}/learners.db", []
    monkeypatch.setattr(of_learners, "compile_for_learner", lambda url, name: asked.append(name))
    for name, d in (("small", 5), ("large", of_learners.MOST_ITEMS + 1)):
        sb.open_learner(url, name=name, decision_set=sb.MSets(d, 1), policy=sb.CUCB(), variance=1.0).close()
        of_learners.compile_for_served_learner(url, name)
    assert asked == ["small"]


@pytest.mark.parametrize("family", ["msets", "routes"])
def test_pieces_of_work_of_policies(as_python, family):
    compilation.compile_for_policies([FAMILIES[family]], [sb.CUCB(), sb.ThompsonSampling()])
