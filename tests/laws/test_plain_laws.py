"""Laws as text and as plain JSON."""

import json
import math

import pytest

import semibandits as sb
from semibandits.laws import Bernoulli, Gamma, Gaussian, Law, Mixed, Poisson, law_from
from semibandits.laws.plain import KINDS, plain, text, title, words

LAWS = [
    Gaussian(),
    Gaussian(1 / 3, upper=-0.1),
    Gaussian([1.0, 2.0], [math.inf, 0.5]),
    Bernoulli(),
    Poisson(),
    Poisson(cost=True),
    Gamma(),
    Gamma(2.5, cost=True),
    Mixed([Poisson(), Bernoulli(), Poisson(), Gaussian(3.0)]),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_laws_are_read_from_text(law):
    assert law_from(law) is law
    assert law_from(json.loads(json.dumps(plain(law), allow_nan=False))) == law
    if text(law).partition(":")[0] in KINDS:
        assert law_from(text(law)) == law_from(text(law).upper().replace(",", " , ")) == law
    assert title(law) == ("gaussian" if law.is_quadratic else text(law))
    assert words(title(law)).startswith("independent ")


@pytest.mark.parametrize(
    ("said", "law"),
    [
        ("poisson:cost", Poisson(cost=True)),
        ("Poisson : cost = true", Poisson(cost=True)),
        ("poisson:cost=false", Poisson()),
        ("gamma:shape=2,cost", Gamma(2.0, cost=True)),
        ("gaussian:upper=0", Gaussian(upper=0.0)),
        ("gaussian:variance=2,upper=inf", Gaussian(2.0)),
        ({"name": "gaussian", "upper": ["inf", 1]}, Gaussian(upper=[math.inf, 1.0])),
    ],
)
def test_written_forms_are_read(said, law):
    assert law_from(said) == law


class Own(Law):
    """A user-defined law."""

    def check(self, theta):
        """Any."""

    reach = divergence = raise_at = lambda self, *numbers: numbers[-1]


def test_a_user_defined_law_has_no_plain_form():
    assert plain(Own()) is None
    assert plain(Mixed([Own(), Poisson()])) is None
    assert text(Own()) == "Own()"
    assert words(text(Own())) == "independent rewards of the law Own()"
    assert sb.laws.law_from(Own()) == Own()
