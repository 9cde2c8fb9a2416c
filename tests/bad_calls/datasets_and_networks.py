"""Names, nodes, models and boxes of datasets, networks and borders that do not exist or make no sense."""

import math

from semibandits import datasets
from semibandits.datasets import DelayModel, FareModel, LossModel
from semibandits_studies.datasets.backbones import multicast_instance
from semibandits_studies.datasets.borders import borders

INF, NAN = math.inf, math.nan
DIFFER = "source and target must differ"


def delays(source, target):
    datasets.network("germany50").delay_dag(source, target)


def multicast(name, root=None):
    network = datasets.network(name)
    multicast_instance(network, root or network.nodes[0].name)


CALLS = [
    (lambda: datasets.load("flights"), "dataset must be a known name, got 'flights': did you mean .*flights-"),
    (lambda: datasets.network("germany"), "network must be a known name, got 'germany': did you mean .*germany50"),
    (lambda: delays("Saarbrucken", "Greifswald"), "source in germany50 .* did you mean Saarbruecken"),
    (lambda: delays("Saarbruecken", "Paris"), "target in germany50"),
    (lambda: delays("Berlin", "Berlin"), DIFFER),
    (lambda: datasets.network("germany50").delay_routes("Berlin", "Berlin"), DIFFER),
    (lambda: multicast("polska", "Warszaw"), "root in polska .* did you mean Warsaw"),
    (lambda: multicast("atlanta"), "geographic"),
    *((lambda *, model=model, name=name, value=value: model(**{name: value}), name)
      for model, name, *values in (
          (DelayModel, "speed", 0.0), (DelayModel, "service", 0.0, NAN), (DelayModel, "peak_load", 1.0, -0.1),
          (FareModel, "base", -1.0), (FareModel, "per_km", 0.0), (FareModel, "competition", -0.1, NAN),
          (FareModel, "spread", 0.0, INF), (LossModel, "current", 0.0, NAN), (LossModel, "spread", -1.0, INF),
      ) for value in values),
    *((lambda *, box=box: borders(*box), "west < east and south < north")
      for box in ((15, 47, 6, 55), (6, 55, 15, 47), (6, 47, 6, 55), (NAN, 47, 15, 55), (6, 47, INF, 55))),
    *((lambda *, margin=margin: borders(6, 47, 15, 55, margin=margin), "margin must be a number >= 0") for margin in (-0.1, NAN)),
]  # fmt: skip
