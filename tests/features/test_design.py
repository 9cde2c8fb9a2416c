"""Features as people have them: arrays, frames in any order, mappings, texts, gaps."""

import numpy as np
import pandas as pd
import pytest

import semibandits as sb
from semibandits.features.design import Design

PAGES = sb.MSets(4, 2, items=["news", "sport", "weather", "chess"])
PAIRS = sb.Matchings([(a, b) for a in ("Ann", "Bob") for b in ("north", "south", "west")], saturate="rows")
FRAME = pd.DataFrame(
    {"year": [2001, 2020, 2010, 1999], "genre": ["a", "b", "a", None], "same": 3.0}, index=["news", "sport", "weather", "chess"]
)


def test_numbers_are_scaled_and_texts_are_categories():
    design = Design.of(FRAME, PAGES)
    assert design.names == ("mean of all", "year", "genre = a", "genre = b", "same")
    np.testing.assert_allclose(design.matrix[:, 0], 1.0)
    np.testing.assert_allclose([design.matrix[:, 1].mean(), design.matrix[:, 1].std()], [0.0, 1.0], atol=1e-12)
    assert design.scales[1] == pytest.approx(np.std([2001, 2020, 2010, 1999]))
    assert design.matrix[:, 2:].tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]]  # constant columns say nothing


def test_rows_go_by_label():
    expected = Design.of(FRAME, PAGES).matrix
    turned = FRAME.iloc[[2, 0, 3, 1]]
    rows = {label: row.tolist() for label, row in zip(turned.index, turned.to_numpy(), strict=True)}
    columns = {name: FRAME[name].tolist() for name in FRAME.columns}
    tables = [turned, rows, FRAME.to_numpy(), FRAME.reset_index(drop=True), FRAME.to_numpy().tolist(), columns]
    for table in tables:
        np.testing.assert_array_equal(Design.of(table, PAGES).matrix, expected)
    by_pair = pd.DataFrame({"km": np.arange(6.0)}, index=pd.MultiIndex.from_tuples(PAIRS.items)).iloc[::-1]
    np.testing.assert_allclose(Design.of(by_pair, PAIRS).matrix[:, 1] * Design.of(by_pair, PAIRS).scales[1], np.arange(6) - 2.5)


def test_missing_texts_of_all_kinds_are_no_category():
    for gap in (None, np.nan, pd.NA):
        columns = {"genre": np.array(["a", gap, "b", "a"], dtype=object)}
        assert Design.of(columns, PAGES).names == ("mean of all", "genre = a", "genre = b")


def test_columns_by_name_are_those_of_a_frame():
    design = Design.of({name: FRAME[name].to_numpy() for name in FRAME.columns}, PAGES)
    assert design.names == Design.of(FRAME, PAGES).names
    square = sb.MSets(2, 1, items=["a", "b"])  # as many names as items: what is an item counts as one
    np.testing.assert_array_equal(Design.of({"b": [0, 1], "a": [3, 2]}, square).own, Design.of([[3, 2], [0, 1]], square).own)


def test_named_features():
    assert Design.of("pooled", PAGES).matrix.tolist() == [[1.0]] * 4
    additive = Design.of("additive", PAIRS)
    assert additive.names == ("mean of all", "Ann", "Bob", "north", "south", "west")
    assert additive.matrix[PAIRS.items.index(("Bob", "west"))].tolist() == [1, 0, 1, 0, 0, 1]
    for design, x in ((additive, PAIRS), (Design.of(FRAME, PAGES), PAGES)):
        again = Design.restored(design.state(), x)
        assert again.names == design.names
        np.testing.assert_array_equal(again.matrix, design.matrix)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("linear", "features must be one of 'pooled', 'additive', got 'linear'"),
        ("additive", "needs items that are pairs, such as .*, got 'news'"),
        (np.ones((3, 2)), r"features must have shape \(d, k\) with d = 4, got \(3, 2\)"),
        (np.ones((4, 2, 1)), "must have shape"),
        (np.ones((4, 0)), "must have shape"),
        (5, "must be a table, 'pooled' or 'additive', got 5"),
        ({"x": np.arange(4) * 1e300}, "must be at most 1e100 in size, got 1e.300 in 'x' for 'sport'"),
        (pd.DataFrame({"x": [10**400, 1, 2, 3]}, dtype=object), "must be at most 1e.100 in size in 'x'"),
        (pd.DataFrame({"x": pd.array([1, None, 2, 3], dtype="Int64")}), "must be finite, got nan in 'x' for 'sport'"),
        ({"x": [1, 2, 3]}, "d = 4 values for each name, or a row for each item, got 3 for 'x'"),
        ([[1.0], [np.nan], [2.0], [3.0]], "must be finite, got nan in 'feature 0' for 'sport': fill the gaps"),
        ([[1.0], [2.0], [np.inf], [3.0]], "must be finite, got inf in 'feature 0' for 'weather'"),
        (FRAME.drop(index="sport"), "must have a row for each item and no others, got none for 'sport'"),
        (FRAME.rename(index={"sport": "tennis"}), "got none for 'sport'"),
        (pd.concat((FRAME, FRAME.head(1))), "must have one row an item, got 'news' twice"),
        (pd.concat((FRAME, FRAME.head(1).rename(index={"news": "opera"}))), "got one for 'opera'"),
        (FRAME.reset_index(drop=True).head(3), "must have a row for each of the 4 items, got 3"),
        (FRAME[[]], "must have a column, got none"),
        ({"news": [1.0], "sport": [2.0], "weather": [1.0, 2.0], "chess": [0.0]}, r"rows of one length, got lengths \[1, 2\]"),
    ],
)
def test_bad_features_have_one_error(features, message):
    with pytest.raises(sb.InvalidInputError, match=message):
        sb.Learner(PAGES, variance=1.0, seed=0, features=features)
