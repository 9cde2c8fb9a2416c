"""A warning where costs make a decision without items the best one, and nowhere else."""

import numpy as np
import pytest

import semibandits as sb
from semibandits import EmptyDecisionWarning
from semibandits.studies import read_study, run_study
from test_longest_path import warned

PAIRS = [("Ann", "park"), ("Bob", "park"), ("Bob", "port"), ("Eve", "port")]
ANY, MOST = (sb.Matchings(PAIRS, saturate) for saturate in ("none", "most"))
LISTED = sb.EnumeratedDecisions([[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]])
MINUTES = [20.0, 15.0, 10.0, 25.0]
TABLE = "row,column,cost\n" + "".join(f"{r},{c},{cost}\n" for (r, c), cost in zip(PAIRS, MINUTES, strict=True))


def learnt(decision_set, **outcome):
    learner = sb.Learner(decision_set, sb.CUCB(), variance=1.0, seed=0)
    for _ in range(6):
        asked = learner.ask()
        ((name, values),) = outcome.items()
        learner.tell(asked.id, **{name: np.array(values)[asked.items]})


CALLS = {
    "bound": lambda: sb.graves_lai(ANY, costs=MINUTES),
    "bound of rewards": lambda: sb.graves_lai(ANY, np.minimum(0.0, 15.0 - np.array(MINUTES))),
    "time of a test": lambda: sb.identification_time(ANY, costs=MINUTES),
    "simulation": lambda: sb.simulate(ANY, sb.GaussianRewards(costs=MINUTES), sb.CUCB(), horizon=20, replications=2),
    "learner": lambda: learnt(ANY, costs=MINUTES),
    "listed decisions": lambda: sb.graves_lai(LISTED, costs=MINUTES),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_warning_where_the_best_decision_has_no_items(name):
    (warning,) = warned(CALLS[name])
    assert warning.category is EmptyDecisionWarning
    assert warning.filename == __file__
    remedy = "leave that decision out" if name == "listed decisions" else "pass saturate='most' to match as many as possible"
    assert str(warning.message) == (
        f"no mean reward, which is minus the cost, is positive, so the best decision has no items: {remedy}, or ignore this"
    )


QUIET = {
    "largest matchings": lambda: sb.graves_lai(MOST, costs=MINUTES),
    "one reward is positive": lambda: sb.graves_lai(ANY, [-1.0, -2.0, 3.0, -4.0]),
    "only zeros": lambda: learnt(ANY, costs=[0.0] * 4),
    "no other decision": lambda: sb.graves_lai(sb.MSets(3, 0), costs=[1.0, 2.0, 3.0]),
    "a learner of largest matchings": lambda: learnt(MOST, costs=MINUTES),
    "a learner of rewards": lambda: learnt(ANY, rewards=MINUTES),
}


@pytest.mark.parametrize("name", QUIET)
def test_no_warning_elsewhere(name):
    assert not warned(QUIET[name])


def test_a_study_warns_once(tmp_path):
    (tmp_path / "zones.csv").write_text(TABLE, encoding="utf-8")
    text = '[problem]\nfile = "zones.csv"\nsaturate = "none"\n[bound]\ngap = 0.01\n[output]\nreport = false\n'
    for saturate, expected in (("none", [EmptyDecisionWarning]), ("most", [])):
        path = tmp_path / f"{saturate}.toml"
        path.write_text(text.replace('"none"', f'"{saturate}"'), encoding="utf-8")
        study = read_study(path)
        assert [warning.category for warning in warned(lambda study=study: run_study(study))] == expected
