"""Figures of bounds and simulations that cannot be drawn."""

import numpy as np
from matplotlib.figure import Figure

import semibandits as sb
from semibandits.plotting import plot_item_rates, plot_matching_plan, plot_network_plan
from semibandits_studies.plotting.regret import plot_regret


def axes():
    return Figure().subplots()


def items():
    return sb.graves_lai(sb.MSets(4, 2), [4, 3, 2, 1])


def located(positions):
    sb.graves_lai(sb.Paths([("a", "b"), ("a", "b")], "a", "b"), [1, 0]).plot(axes(), positions=positions)


def simulation(**options):
    return sb.simulate(sb.MSets(4, 2), sb.GaussianRewards([4, 3, 2, 1]), sb.CUCB(), horizon=20, replications=2, **options)


POLICY = "policy must be one of"
CALLS = [
    (lambda: plot_item_rates(items(), ax=axes(), labels=["a", "b"]), "labels must have d = 4 entries, got 2"),
    (lambda: plot_matching_plan(items(), ax=axes()), r"be a solution over Matchings, got MSets: use result.plot\(\)"),
    (lambda: plot_network_plan(items(), ax=axes()), "decisions must have items that are edges of a graph, got MSets"),
    (lambda: located({"a": (0, 0)}), "positions must place every node, got none for 'b'"),
    (lambda: located({"a": (0, 0), "b": (0.0, np.nan)}), r"positions must be pairs .*, got \(0.0, nan\) for 'b'"),
    (lambda: plot_regret(simulation(), ax=axes(), level=1.0), "level"),
    (lambda: simulation().plot(axes(), styles={"none": {}}), r"styles must map policies among \['CUCB'\] .*, got \['none'\]"),
    (lambda: simulation().plot(axes(), styles=["black"]), r"styles must map policies .*, got \['black'\]"),
    (lambda: simulation().plot(axes(), styles={"CUCB": {"colr": 1}}), r"styles\['CUCB'\] must have arguments .*colr"),
    (lambda: simulation().plot(axes(), styles={"CUCB": "black"}), r"styles\['CUCB'\] must have arguments .*'black'"),
    (lambda: simulation(bound=False).plot(axes(), bound=True), "bound=True needs a C.* pass a GravesLaiResult or a number"),
    (lambda: simulation().plot(axes(), bound=-1.0), "bound must be >= 0, got -1: pass C"),
    (lambda: simulation().plot(axes(), bound="none"), "bound must be"),
    (lambda: simulation().plot(axes(), bound=sb.graves_lai(sb.MSets(5, 2), range(5))), "bound must be of .* d = 4 .*d = 5"),
    (lambda: simulation().plot_exploration("none", axes()), POLICY),
    (lambda: simulation(bound=False).plot_exploration("none", axes()), POLICY),
]  # fmt: skip
