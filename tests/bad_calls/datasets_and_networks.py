"""Names, nodes, models and boxes of datasets, networks and borders that do not exist or make no sense."""

import math

from semibandits import datasets
from semibandits.datasets import DelayModel, FareModel, LossModel
from semibandits.datasets.backbones import multicast_instance
from semibandits.datasets.borders import borders

INF, NAN = math.inf, math.nan
EMPTY, DIFFER = "west < east and south < north", "source and target must differ"


def delays(source, target):
    datasets.network("germany50").delay_dag(source, target)


def multicast(name, root=None):
    network = datasets.network(name)
    multicast_instance(network, root or network.nodes[0].name)


def near(margin):
    borders(6, 47, 15, 55, margin=margin)


CALLS = [
    (lambda: datasets.load("flights"), "dataset must be a known name, got 'flights': did you mean .*flights-"),
    (lambda: datasets.network("germany"), "network must be a known name, got 'germany': did you mean .*germany50"),
    (lambda: delays("Saarbrucken", "Greifswald"), "source in germany50 .* did you mean Saarbruecken"),
    (lambda: delays("Saarbruecken", "Paris"), "target in germany50"),
    (lambda: delays("Berlin", "Berlin"), DIFFER),
    (lambda: datasets.network("germany50").delay_routes("Berlin", "Berlin"), DIFFER),
    (lambda: multicast("polska", "Warszaw"), "root in polska .* did you mean Warsaw"),
    (lambda: multicast("atlanta"), "geographic"),
    (lambda: DelayModel(speed=0.0), "speed"),
    (lambda: DelayModel(service=0.0), "service"),
    (lambda: DelayModel(service=NAN), "service"),
    (lambda: DelayModel(peak_load=1.0), "peak_load"),
    (lambda: DelayModel(peak_load=-0.1), "peak_load"),
    (lambda: FareModel(base=-1.0), "base"),
    (lambda: FareModel(per_km=0.0), "per_km"),
    (lambda: FareModel(competition=-0.1), "competition"),
    (lambda: FareModel(competition=NAN), "competition"),
    (lambda: FareModel(spread=0.0), "spread"),
    (lambda: FareModel(spread=INF), "spread"),
    (lambda: LossModel(current=0.0), "current"),
    (lambda: LossModel(current=NAN), "current"),
    (lambda: LossModel(spread=-1.0), "spread"),
    (lambda: LossModel(spread=INF), "spread"),
    (lambda: borders(15, 47, 6, 55), EMPTY),
    (lambda: borders(6, 55, 15, 47), EMPTY),
    (lambda: borders(6, 47, 6, 55), EMPTY),
    (lambda: borders(NAN, 47, 15, 55), EMPTY),
    (lambda: borders(6, 47, INF, 55), EMPTY),
    (lambda: near(-0.1), "margin must be a number >= 0"),
    (lambda: near(NAN), "margin must be a number >= 0"),
]  # fmt: skip
