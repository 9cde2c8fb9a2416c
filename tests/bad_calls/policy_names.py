"""Names, parameters and specifications of policies that are none."""

from semibandits.policies.cucb import CUCB
from semibandits.policies.registry import build, policy_from


def specified(**others):
    return build({**CUCB().specification(), **others})


CALLS = [
    (lambda: policy_from("escb", {}), "did you mean 'ESCB'"),
    (lambda: policy_from("thompson", {}), "did you mean 'ThompsonSampling'"),
    (lambda: policy_from("OSB", {}), "did you mean 'OSSB'"),
    (lambda: policy_from("qqqq", {}), "pass one of these"),
    (lambda: policy_from(None, {}), "must be one of AESCB, CUCB"),
    (lambda: policy_from("OSSB", {"gama": 1}), "did you mean 'gamma'"),
    (lambda: policy_from("CUCB", {"zzz": 1}), "pass one of these"),
    (lambda: policy_from("OSSB", {"gamma": "much"}), "gamma must be a number"),
    (lambda: policy_from("OSSB", {"gamma": "nan"}), "gamma must be a finite number"),
    (lambda: policy_from("CUCB", {"radius": "loglog"}), "radius must be one of"),
    (lambda: policy_from("CUCB", {"radius": {"lg": 1.0}}), "did you mean 'log'"),
    (lambda: policy_from("CUCB", {"variance": "x"}), "variance must be a number"),
    (lambda: policy_from("CUCB", {"variance": "-1"}), "variance must be positive"),
    (lambda: policy_from("ThompsonSampling", {"scale": None}), "scale must be a finite number"),
    (lambda: build({}), "must be a mapping with its name, got {}"),
    (lambda: build([]), r"must be a mapping with its name, got \[\]"),
    (lambda: build({"name": 3}), "must be a mapping with its name, got {'name': 3}"),
    (lambda: build({"name": "CUCB"}), "must give all its parameters"),
    (lambda: specified(scale=1.0), "must be among law, radius, variance, got 'scale'"),
    (lambda: specified(radius="log"), "must give all its parameters"),
]  # fmt: skip
