"""The examples of docs/bernoulli.md and docs/laws.md print the documented output, and the user-defined law is correct."""

import re
from pathlib import Path

import numpy as np
import pytest
from bound_checks import check_overlap
from law_cases import SETS, drawn_set, some
from laws_reference import Items, bracket, least_of_all

import semibandits as sb
from example_sets import random_tree_set
from semibandits.errors import InvalidInputError

DOCS = Path(__file__).parents[2] / "docs"


def examples(name):
    """Pairs of code and its printed output."""
    page = (DOCS / name).read_text(encoding="utf-8")
    pairs = re.findall(r"```python\n(.*?)```\n+prints\n+```text\n(.*?)```", page, re.DOTALL)
    assert pairs
    return pairs


@pytest.mark.parametrize("name", ["bernoulli.md", "laws.md"])
def test_the_examples_print_the_documented_output(name, capsys):
    for code, said in examples(name):
        exec(compile(code, f"docs/{name}", "exec"), {})
        assert capsys.readouterr().out == said


@pytest.fixture(scope="module")
def law():
    """The law of the second example."""
    names = {}
    exec(compile(examples("laws.md")[-1][0], "docs/laws.md", "exec"), names)
    return names["InverseGaussian"]()


def times(rng, d):
    return Items.of(-some(rng, d, 0.5, 4.0), 0.0, 0.0, 0.0, -0.125, end=0.0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("seed", range(3))
def test_a_user_defined_law_is_solved_like_any_other(law, family, seed):
    rng = np.random.default_rng(seed)
    space = drawn_set(rng, SETS[family], most=60)
    items = times(rng, space.d)
    result = sb.graves_lai(space, items.theta, law=law)
    decisions = space.enumerate(60)
    lower, upper = bracket(items, decisions)
    assert result.method == "cycles"
    assert result.gap <= 1e-4
    assert result.lower <= upper * (1.0 + 1e-5)
    assert lower <= result.value * (1.0 + 1e-5)
    assert least_of_all(items, decisions, result.rates) >= 1.0 - 1e-5


def test_and_in_closed_form(law):
    rng = np.random.default_rng(5)
    space = random_tree_set(rng)
    items = times(rng, space.d)
    closed = sb.graves_lai(space, items.theta, law=law)
    cycles = sb.graves_lai(space, items.theta, law=law, method="cycles")
    assert closed.method == "closed-form"
    check_overlap(cycles, closed)
    with pytest.raises(InvalidInputError, match="means must be < 0"):
        sb.graves_lai(space, -items.theta, law=law)
