"""Certificates of bounds: information, thresholds and items of exchange graphs."""

import numpy as np

import semibandits as sb
from semibandits.regret_bound.certificates.lower import check_items
from semibandits.regret_bound.certificates.worst_cycle import worst_ratio


def ratio(information=(0.0, 1.0), at_least=1.0):
    graph = sb.MSets(2, 1).exchange_graph(np.array([1.0, 0.0]))
    return worst_ratio(graph, np.array(information), at_least=at_least, max_labels=10)


CALLS = [
    *((lambda *, information=information: ratio(information), "information must")
      for information in ((0.0, -1.0), (0.0, np.nan), (0.0, 1.0, 1.0))),
    *((lambda *, at_least=at_least: ratio(at_least=at_least), "at_least must") for at_least in (-1.0, np.inf)),
    (lambda: check_items(np.array([0, 0])), "got 2 arcs for item 0"),
]  # fmt: skip
