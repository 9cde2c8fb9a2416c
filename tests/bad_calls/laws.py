"""Laws that do not exist, means that a law does not allow, and texts that name no law."""

import numpy as np

from semibandits.laws import Bernoulli, Gamma, Gaussian, Mixed, Poisson, law_from
from semibandits.laws.plain import KINDS

CALLS = [
    (lambda: Gaussian(0.0), "variance must be positive"),
    (lambda: Gaussian(1.0, upper=np.nan), "upper must be numbers or inf"),
    (lambda: Gamma(-1.0), "shape must be positive"),
    (lambda: Mixed([Poisson(), 3]), "one Law per item, got 3 for item 1"),
    (lambda: Mixed([Mixed([Poisson()])]), "one Law per item"),
    *((lambda *, law=law, theta=theta: law.check(np.array(theta)), message) for law, theta, message in (
        (Bernoulli(), [0.5, 1.2], r"must lie in \[0, 1\].*got 1.2 for item 1"),
        (Poisson(), [1.0, -0.5], "must be >= 0 for Poisson.*got -0.5 for item 1.*cost=True"),
        (Poisson(cost=True), [0.5], "must be <= 0.*leave out cost=True"),
        (Gamma(), [0.0], "must be > 0"), (Gamma(cost=True), [0.0], "must be < 0"),
        (Gaussian(upper=0.0), [-1.0, 0.5], "at most upper, got 0.5 for item 1"),
        (Gaussian([0.5, 0.5]), [1.0, 1.0, 1.0], "one number or one per item"),
        (Mixed([Poisson()]), [1.0, 1.0], "one an item, got 1 for 2"),
        (Mixed([Poisson(), Bernoulli()]), [1.0, 1.5], r"must lie in \[0, 1\]"),
    )),
    *((lambda *, said=said: law_from(said), message) for said, message in (
        ("cauchy", f"the law must be one of {', '.join(KINDS)}, got 'cauchy'"),
        (3, "a law must be a name"), ({"shape": 2}, "a law must be a name"),
        ("poisson:shape=2", "poisson must be among cost, got 'shape'"),
        ("bernoulli:cost", "bernoulli must be left out, got 'cost'"), ("gamma:shape=two", "shape must be a number, got 'two'"),
        ("gamma:shape", "as in shape=2, got True"),
        ("gamma:cost=2", "cost must be true or false, got 2.0"), ("gamma:shape=-1", "shape must be positive"),
        ("mixed", "a mixed law must have kinds and which"),
        ({"name": "mixed", "kinds": ["poisson"], "which": [0, 1]}, "which must hold indices into kinds"),
    )),
]  # fmt: skip
