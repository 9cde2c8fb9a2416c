"""A warning where costs without a minus sign would give the longest path, and nowhere else."""

import warnings

import numpy as np
import pytest

import semibandits as sb
from semibandits import LongestPathWarning
from semibandits.studies import read_study, run_study
from semibandits_studies.cli import main

EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")]
PATHS = sb.Paths(EDGES, "a", "d")
MINUTES = [9.0, 6.0, 7.0, 9.5]
TABLE = "tail,head,theta\na,b,9\nb,d,6\na,c,7\nc,d,9.5\n"
ENDS = ["--source", "a", "--target", "d"]


def warned(call):
    """The warnings of a call, where every one is recorded."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return seen


def simulated(rewards, *policies):
    return sb.simulate(PATHS, rewards, policies or sb.CUCB(), horizon=50, replications=2)


CALLS = {
    "bound": lambda: sb.graves_lai(PATHS, MINUTES),
    "bound of counts": lambda: sb.graves_lai(PATHS, MINUTES, law=sb.laws.Poisson()),
    "simulation": lambda: simulated(sb.GaussianRewards(MINUTES)),
    "simulation of times": lambda: simulated(sb.GammaRewards(MINUTES)),
    "policies that solve bounds": lambda: simulated(sb.GaussianRewards(MINUTES), sb.OSSB(), sb.GLADE()),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_warning_where_all_rewards_on_paths_are_positive(name):
    (warning,) = warned(CALLS[name])
    assert warning.category is LongestPathWarning
    assert warning.filename == __file__  # it points at the call, not into the library
    assert str(warning.message) == (
        "all mean rewards are positive and rewards are maximised, so the longest path is best: "
        "for the shortest one, pass costs instead, or ignore this"
    )


def test_costs_with_minus_signs_are_the_same_mistake():
    with pytest.warns(LongestPathWarning, match="all costs are negative, so the longest path is best: drop the minus signs"):
        longest = sb.graves_lai(PATHS, costs=[-cost for cost in MINUTES])
    assert PATHS.walk(longest.optimal_decision) == ("a", "c", "d")
    assert PATHS.walk(sb.graves_lai(PATHS, costs=MINUTES).optimal_decision) == ("a", "b", "d")


def learnt(policy):
    learner = sb.Learner(PATHS, policy, variance=1.0, seed=0)
    for _ in range(40):
        asked = learner.ask()
        learner.tell(asked.id, [MINUTES[i] for i in asked.items])


QUIET = {
    "costs": lambda: sb.graves_lai(PATHS, costs=MINUTES),
    "negative rewards": lambda: sb.graves_lai(PATHS, [-cost for cost in MINUTES]),
    "one reward that is not positive": lambda: sb.graves_lai(PATHS, [9.0, 6.0, 0.0, 9.5]),
    "probabilities": lambda: sb.graves_lai(PATHS, [0.9, 0.6, 0.7, 0.5], rewards="bernoulli"),
    "probabilities by law": lambda: sb.graves_lai(PATHS, [0.9, 0.6, 0.7, 0.5], law=sb.laws.Bernoulli()),
    "simulated probabilities": lambda: simulated(sb.BernoulliRewards([0.9, 0.6, 0.7, 0.5])),
    "simulated costs": lambda: simulated(sb.GaussianRewards(costs=MINUTES)),
    "trees": lambda: sb.graves_lai(sb.SpanningTrees(EDGES), MINUTES),
    "sets": lambda: sb.graves_lai(sb.MSets(4, 2), MINUTES),
    "gaps": lambda: sb.smallest_gap(PATHS, MINUTES),
    "GLADE learns": lambda: learnt(sb.GLADE()),
    "OSSB learns": lambda: learnt(sb.OSSB()),
    "Thompson sampling learns": lambda: learnt(sb.ThompsonSampling()),
}


@pytest.mark.parametrize("name", QUIET)
def test_no_warning_elsewhere(name):
    assert not warned(QUIET[name])


def test_warm_starts_do_not_repeat_the_warning_in_the_solver():
    first = sb.graves_lai(PATHS, MINUTES)
    (warning,) = warned(lambda: sb.graves_lai(PATHS, np.array(MINUTES) + 0.01, warm_start=first))
    assert warning.category is LongestPathWarning


STUDIES = {"bound": "[bound]\ngap = 0.01\n", "simulation": '[simulation]\npolicies = ["OSSB"]\nhorizon = 50\nreplications = 1\n'}


@pytest.mark.parametrize("kind", STUDIES)
def test_a_study_warns_once(kind, tmp_path):
    (tmp_path / "roads.csv").write_text(TABLE, encoding="utf-8")
    text = f'[problem]\nfile = "roads.csv"\nsource = "a"\ntarget = "d"\n{STUDIES[kind]}[output]\nreport = false\n'
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    study = read_study(tmp_path / "study.toml")
    (warning,) = warned(lambda: run_study(study))
    assert warning.category is LongestPathWarning
    assert warning.filename == __file__
    assert "use minimize=True or name the column cost" in str(warning.message)


@pytest.mark.parametrize("command", [["bound"], ["bound", "--json"], ["simulate", "--variance", "1", "-T", "50", "-n", "2"]])
def test_the_program_warns_in_one_line(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roads.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "times.csv").write_text(TABLE.replace("theta", "cost"), encoding="utf-8")

    def err(*arguments):
        with warnings.catch_warnings():  # with the filters of a new interpreter
            warnings.resetwarnings()
            for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)
            with pytest.raises(SystemExit) as leave:
                main([command[0], *arguments, *ENDS, *command[1:]])
        assert leave.value.code == 0
        return capsys.readouterr().err

    assert err("roads.csv") == (
        "Warning: all mean rewards are positive and rewards are maximised, so the longest path is best: "
        "for the shortest one, use --minimize or name the column cost, or ignore this\n"
    )
    assert err("roads.csv", "--minimize") == err("times.csv") == ""
