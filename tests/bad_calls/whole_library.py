"""Arguments of conformance checks, samples that are no pairs, huge labels, and a name that does not exist."""

import semibandits as sb
from semibandits.instances import instance_from_description
from semibandits.testing import check_decision_set, check_policy
from verification_scripts import script


def ratio(a, b):
    return script("statistics_of_ratios").paired_ratio(a, b)


NO_PAIRS = "samples must be two rows of the same length"
CALLS = [
    (lambda: check_decision_set(sb.MSets(3, 1), trials=0), "trials must be at least 1, got 0"),
    (lambda: check_policy(sb.CUCB, sb.MSets(6, 2)), "policy must be a Policy, got <class '.*CUCB'>: pass an object"),
    (lambda: check_policy(sb.CUCB(), sb.MSets(6, 2), horizon=11), "horizon must be at least 2 d = 12, got 11"),
    (lambda: check_policy(sb.CUCB(), sb.MSets(6, 2), waivers={"speed": "it is slow"}), "promises among rounds, .*, got speed"),
    (lambda: ratio([1.0], [1.0]), NO_PAIRS, ValueError),
    (lambda: ratio([1.0, 2.0], [1.0, 2.0, 3.0]), NO_PAIRS, ValueError),
    (lambda: ratio([[1.0, 2.0]], [[1.0, 2.0]]), NO_PAIRS, ValueError),
    (lambda: instance_from_description({"family": "trees", "theta": [1.0], "edges": [["a", 10**5000]]}),
     r"edges\[0\] must have at most 300 digits"),
    (lambda: sb.graves_lai(sb.MSets(3, 1), [1.0, 2.0, 3.0]).summary(["tea", "coffee"]), "labels must have d = 3 entries, got 2"),
    (lambda: sb.nothing, "^module 'semibandits' has no attribute 'nothing'$", AttributeError),
]  # fmt: skip
