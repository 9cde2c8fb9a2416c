"""The table of families and problems: complete, consistent with the code, and equal to the docs."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import semibandits as sb
from semibandits.families.capabilities import PROBLEMS, capability_table
from semibandits.families.family import Guarantee, Guarantees
from semibandits.families.registry import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"


def test_every_tag_has_a_column():
    assert set(PROBLEMS) == {field.name for field in fields(Guarantees)}
    assert all(family.beyond_paper <= set(PROBLEMS) for family in FAMILIES.values())


def test_the_docs_hold_the_table_as_generated():
    text = (DOCS / "structures.md").read_text(encoding="utf-8")
    assert capability_table() in text, "docs/structures.md holds what python -m semibandits.families.capabilities prints"


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_tags_agree_with_the_code(family):
    for member in family.examples():
        check_tags(member, family.guarantees)


def check_tags(member, tags):
    theta = np.arange(1.0, member.d + 1.0) * (1.0 if member.upper is None else -1.0)
    method = sb.graves_lai(member, theta).method
    expected = {Guarantee.CLOSED_FORM: "closed-form", Guarantee.CERTIFIED: "cycles", Guarantee.LISTING: "enumeration"}
    assert method == ("columns" if isinstance(member, sb.Routes) else expected[tags.graves_lai])
    # Families without an approximation are exact at any ratio.
    rows = member.enumerate()
    asked = (("budgeted_ratio", budgeted), ("index_ratio", index)) if member.upper is None else ()
    for problem, ask in asked:
        if getattr(tags, problem) in (Guarantee.SEARCH, Guarantee.LISTING):
            value, best = ask(member, rows, theta)
            assert value == pytest.approx(best, rel=1e-12)


def budgeted(member, rows, theta):
    budgets = theta[::-1].copy()
    level = float(np.median(rows @ budgets))
    x = member.maximize_budgeted(theta, budgets, level, ratio=0.5)
    return theta @ x, (rows @ theta)[rows @ budgets >= level].max()


def index(member, rows, theta):
    x = member.maximize_index(theta, theta[::-1].copy(), ratio=0.5)
    return theta @ x + np.sqrt(theta[::-1] @ x), (rows @ theta + np.sqrt(rows @ theta[::-1])).max()
