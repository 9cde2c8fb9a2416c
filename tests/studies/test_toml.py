"""TOML round trips preserve values and types."""

import math
import tomllib

from hypothesis import example, given, settings
from hypothesis import strategies as st

from semibandits_studies.studies.toml import toml_text

NAMES = st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))  # lone surrogates are no Unicode text
SCALARS = st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(SCALARS, lambda values: st.lists(values, max_size=3), max_leaves=6)


def same(one, other):
    """Equal values of equal types; nan equals nan, 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (one, math.copysign(1, one)) == (other, math.copysign(1, other))
    return one == other


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=4))
@example({"a": {"b": 'tab\t, "quote", \\, line\nbreak, \r, bell\x07, del\x7f, nel\x85, Zürich → 北京 😀'}})
@example({"a": {"b": [1e-05, 1e16, 5e-324, -0.0, math.inf, -math.inf, math.nan, 10**30, True, [[], ["x"]]]}, "c": {}})
def test_round_trip(tables):
    assert same(tomllib.loads(toml_text(tables)), tables)


def test_output_is_idiomatic():
    tables = {"problem": {"file": "instance.json", "size": 3}, "bound": {"gap": 1e-4, "known": False, "list": ["a", "b"]}}
    assert toml_text(tables) == (
        '[problem]\nfile = "instance.json"\nsize = 3\n\n[bound]\ngap = 0.0001\nknown = false\nlist = ["a", "b"]\n'
    )
