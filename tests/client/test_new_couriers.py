"""Rounds with unseen items over HTTP, after a replacement of the items, and after a restart: the same as in memory."""

import numpy as np
import pytest

import semibandits as sb
from marks import later
from semibandits.client import Client
from serving import TOKEN, serving

COURIERS = [f"C{i}" for i in range(4)]
ZONES = [f"Z{i}" for i in range(6)]
MINUTES = np.random.default_rng(1).uniform(20.0, 60.0, (5, 6))


def matchings(couriers):
    return sb.Matchings([(courier, zone) for courier in couriers for zone in ZONES], saturate="rows")


def minutes_of(decision_set):
    order = {courier: row for row, courier in enumerate([*COURIERS, "NEW"])}
    return np.array([MINUTES[order[courier], ZONES.index(zone)] for courier, zone in decision_set.items])


@pytest.mark.parametrize("policy", [sb.GLADE(), *later(sb.ThompsonSampling())])
def test_a_new_courier_costs_the_least_that_trying_each_zone_can(tmp_path, policy):
    url = f"sqlite:///{tmp_path}/learners.db"
    before, after = matchings(COURIERS), matchings([*COURIERS, "NEW"])
    costs = minutes_of(after)
    known = {"prior_costs": minutes_of(before), "prior_plays": 50, "variance": 16.0, "seed": 0}
    memory, _ = sb.Learner(before, policy, **known).replace(after)
    with sb.open_learner(url, name="old", decision_set=before, policy=policy, **known) as learner:
        learner.replace(after, name="new")[0].close()
    tried = set()
    for _ in range(3):  # a service starts three times
        with serving(url) as address, Client(address, TOKEN) as client:
            remote = client.learner("new")
            for _ in range(2):
                asked, expected = remote.ask(), memory.ask()
                assert asked.labels == expected.labels
                (zone,) = (zone for courier, zone in asked.labels if courier == "NEW")
                assert zone not in tried
                tried.add(zone)
                forced = -costs + 1e4 * np.array([pair == ("NEW", zone) for pair in after.items])
                assert costs[expected.items].sum() == pytest.approx(costs[after.maximize(forced)].sum(), rel=1e-12)
                remote.tell(asked.id, costs=costs[expected.items])
                memory.tell(expected.id, costs=costs[expected.items])
