"""Names, parameters and specifications of policies that are none."""

from semibandits.policies.cucb import CUCB
from semibandits.policies.registry import build, policy_from


def specified(**others):
    return build({**CUCB().specification(), **others})


CALLS = [
    *((lambda *, name=name, options=options: policy_from(name, options), message) for name, options, message in (
        ("escb", {}, "did you mean 'ESCB'"), ("thompson", {}, "did you mean 'ThompsonSampling'"),
        ("OSB", {}, "did you mean 'OSSB'"), ("qqqq", {}, "pass one of these"), (None, {}, "must be one of AESCB, CUCB"),
        ("OSSB", {"gama": 1}, "did you mean 'gamma'"), ("CUCB", {"zzz": 1}, "pass one of these"),
        ("OSSB", {"gamma": "much"}, "gamma must be a number"), ("OSSB", {"gamma": "nan"}, "gamma must be a finite number"),
        ("CUCB", {"radius": "loglog"}, "radius must be one of"), ("CUCB", {"radius": {"lg": 1.0}}, "did you mean 'log'"),
        ("CUCB", {"variance": "x"}, "variance must be a number"), ("CUCB", {"variance": "-1"}, "variance must be positive"),
        ("ThompsonSampling", {"scale": None}, "scale must be a finite number"),
    )),
    *((lambda *, given=given: build(given), message) for given, message in (
        ({}, "must be a mapping with its name, got {}"), ([], r"must be a mapping with its name, got \[\]"),
        ({"name": 3}, "must be a mapping with its name, got {'name': 3}"),
    )),
    (lambda: build({"name": "CUCB"}), "must give all its parameters"),
    (lambda: specified(scale=1.0), "must be among law, radius, variance, got 'scale'"),
    (lambda: specified(radius="log"), "must give all its parameters"),
]  # fmt: skip
