"""Numbers as a page shows them."""

import re

import pytest

MARKS = {"⁻": "-", **{sign: str(k) for k, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}}


def value_of(text):
    """The number in a text of the page."""
    text = text.replace(",", "").replace("−", "-").strip()
    factor = re.fullmatch(r"(\S+) × 10(\S+)", text)
    if factor:
        return float(factor[1]) * 10.0 ** int("".join(MARKS[sign] for sign in factor[2]))
    return float(text)


def close_to(value, digits=4):
    """A number written with `digits` significant digits."""
    return pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits), abs=1e-12)
