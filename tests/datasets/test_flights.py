"""Flights against an independent reading of their table, published counts and closed forms."""

import json
from collections import Counter
from fractions import Fraction
from importlib.resources import files
from math import comb

import numpy as np
import pytest
from built import built, histogram, solved

TABLE = json.loads(files("semibandits_studies.datasets").joinpath("tables", "flights.json").read_text(encoding="utf-8"))
ROUTES = ("flights-on-time", "flights-two-a-carrier", "flights-quotas")


HISTOGRAMS = [histogram(*row[3:]) for row in TABLE["routes"]]
CARRIERS, ORIGINS = ([row[k] for row in TABLE["routes"]] for k in (0, 1))


def test_the_table_agrees_with_pandas():
    """Counted with pandas, on rows of flights.csv whose arr_delay is not missing."""
    assert len(HISTOGRAMS) == 288
    assert sum(sum(h.values()) for h in HISTOGRAMS) == 320_534
    assert min(min(h) for h in HISTOGRAMS) == -86
    assert max(max(h) for h in HISTOGRAMS) == 1272
    assert min(sum(h.values()) for h in HISTOGRAMS) >= 200
    honolulu = HISTOGRAMS[[row[:3] for row in TABLE["routes"]].index(["HA", "JFK", "HNL"])]
    assert sum(honolulu.values()) == 342
    assert sum(minute * n for minute, n in honolulu.items()) / 342 == pytest.approx(-6.915205, abs=1e-6)


def test_outcomes_are_the_flights_of_the_table():
    for log, h in zip(built("flights-delays").outcomes, HISTOGRAMS, strict=True):
        assert Counter((-log).tolist()) == h
    for name in ROUTES:
        for log, h in zip(built(name).outcomes, HISTOGRAMS, strict=True):
            punctual = sum(n for minute, n in h.items() if minute < 15)
            assert Counter(log.tolist()) == {k: n for k, n in ((1, punctual), (0, sum(h.values()) - punctual)) if n}


def test_theta_is_the_exact_mean_of_the_table():
    def mean(values):
        return float(Fraction(sum(x * n for x, n in values), sum(n for _, n in values)))

    punctual = [mean([(minute < 15, n) for minute, n in h.items()]) for h in HISTOGRAMS]
    for name in ROUTES:
        assert built(name).theta.tolist() == punctual
    assert built("flights-delays").theta.tolist() == [-mean(list(h.items())) for h in HISTOGRAMS]
    by_hour = built("flights-by-hour")
    shares = {(TABLE["cities"][city], f"{hour:02}:00"): float(Fraction(k, n)) for city, hour, n, k in TABLE["hours"]}
    assert dict(zip(by_hour.decision_set.items, by_hour.theta.tolist(), strict=True)) == shares


def test_variances_are_the_proxy_and_the_sample_variances():
    for name in (*ROUTES, "flights-by-hour"):
        assert np.all(built(name).variance == 0.25)
    for variance, h in zip(built("flights-delays").variance, HISTOGRAMS, strict=True):
        n, total, squares = (sum(minute**k * m for minute, m in h.items()) for k in range(3))
        assert variance == pytest.approx(float(Fraction(squares * n - total**2, n * (n - 1))), rel=1e-12)


def test_how_many_decisions_obey_the_quotas():
    """Counted carrier by carrier, by the number of routes chosen from each airport."""
    ways = {(0, 0, 0): 1}
    airports = sorted(set(ORIGINS))
    for carrier in sorted(set(CARRIERS)):
        n = [sum(c == carrier and o == airport for c, o in zip(CARRIERS, ORIGINS, strict=True)) for airport in airports]
        more = Counter()
        for chosen, count in ways.items():
            for pick in [(a, b, c) for a in range(3) for b in range(3 - a) for c in range(3 - a - b)]:
                total = tuple(x + y for x, y in zip(chosen, pick, strict=True))
                if max(total) <= 4:
                    more[total] += count * int(np.prod([comb(k, p) for k, p in zip(n, pick, strict=True)]))
        ways = more
    count = sum(number for chosen, number in ways.items() if sum(chosen) == 10)
    assert count == built("flights-quotas").decision_set.count()


def test_quotas_are_kept_and_cost_little():
    dataset = built("flights-quotas")
    chosen = np.flatnonzero(dataset.decision_set.maximize(dataset.theta))
    assert len(chosen) == 10
    assert max(Counter(CARRIERS[i] for i in chosen).values()) <= 2
    assert max(Counter(ORIGINS[i] for i in chosen).values()) <= 4
    best = np.sort(dataset.theta)[-10:].sum()
    assert best - 0.01 < dataset.theta[chosen].sum() < best


def test_hours_are_those_of_the_package():
    dataset = built("flights-by-hour")
    decisions = dataset.decision_set
    assert (decisions.d, decisions.m) == (195, 12)
    assert dataset.theta.min() == pytest.approx(0.316, abs=5e-4)
    assert dataset.theta.max() == pytest.approx(0.944, abs=5e-4)
    assert min(len(log) for log in dataset.outcomes) >= 50
    assert len({city for city, _ in decisions.items}) == 12
    hours = list(dict.fromkeys(hour for _, hour in decisions.items))
    assert hours == [f"{hour:02}:00" for hour in range(5, 24)]
    assert dataset.labels[0] == "Charlotte – 05:00"


def test_how_many_timetables_there_are():
    """Hour by hour, over the sets of destinations that have got one."""
    cities = sorted({city for city, *_ in TABLE["hours"]})
    ways = {0: 1}
    for hour in sorted({hour for _, hour, *_ in TABLE["hours"]}):
        open_to = [1 << cities.index(city) for city, h, *_ in TABLE["hours"] if h == hour]
        more = Counter(ways)
        for served, count in ways.items():
            for city in open_to:
                if not served & city:
                    more[served | city] += count
        ways = more
    assert ways[2**12 - 1] == built("flights-by-hour").decision_set.count()


@pytest.mark.parametrize("name", ["flights-on-time", "flights-delays"])
def test_the_bound_of_msets_is_the_closed_form(name):
    """C = sum of 2 variance / gap to the last item chosen, over the items left out."""
    dataset = built(name)
    order = np.argsort(-dataset.theta)
    out, last = order[10:], dataset.theta[order[9]]
    expected = np.sum(2 * dataset.variance[out] / (last - dataset.theta[out]))
    assert solved(name).value == pytest.approx(expected, rel=1e-9)


def test_the_bound_of_two_a_carrier_is_the_sum_over_carriers():
    dataset = built("flights-two-a-carrier")
    expected = 0.0
    for carrier in set(CARRIERS):
        theta = sorted((t for t, c in zip(dataset.theta, CARRIERS, strict=True) if c == carrier), reverse=True)
        expected += sum(0.5 / (theta[1] - t) for t in theta[2:])
    assert solved("flights-two-a-carrier").value == pytest.approx(expected, rel=1e-9)


def test_tails_are_kept():
    """One flight in 33 is more than two hours late, and all routes have more than the fourth moment of a Gaussian, 3."""
    logs = built("flights-delays").outcomes
    assert min(log.min() for log in logs) == -1272
    assert np.mean(np.concatenate(logs) < -120) == pytest.approx(1 / 33, rel=0.02)
    assert min(np.mean((log - log.mean()) ** 4) / log.var() ** 2 for log in logs) > 3.8
