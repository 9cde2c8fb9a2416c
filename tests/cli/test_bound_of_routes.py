"""``semibandits bound`` of CSV files whose links form cycles or can be used both ways."""

import json

import pytest

import semibandits as sb

HEAD = "tail,head,theta,least\n"
ONE_WAY = "home,a,-3,2\na,home,-3,2\na,office,-5,3\nhome,b,-4,3\nb,a,-1.5,1\na,b,-1.5,1\nb,office,-3.5,3\n"
STREETS = "home,a,-3,2\nhome,b,-4,3\na,b,-1.5,1\noffice,a,-5,3\nb,office,-3.5,3\n"
APART = "a,a,-1,0\nmill,farm,-2,1\nbarn,barn,-1,0\n"
ENDS = ("--source", "home", "--target", "office")


def bound_of(run, table, *options):
    """The JSON object that the command prints."""
    code, out, err = run(["bound", "table.csv", *ENDS, "--json", *options], table)
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(("links", "directed"), [(ONE_WAY, True), (STREETS, False)])
def test_a_file_and_python_agree(run, links, directed):
    rows = [line.split(",") for line in links.split()]
    routes = sb.Routes([row[:2] for row in rows], "home", "office", [float(row[3]) for row in rows], directed=directed)
    expected = sb.graves_lai(routes, [float(row[2]) for row in rows], method="enumeration")
    found = bound_of(run, HEAD + links, *([] if directed else ["--undirected"]))
    assert found["family"] == "routes"
    assert found["decisions"] == routes.count() == 4
    assert found["value"] == pytest.approx(expected.value, rel=3e-4)


@pytest.mark.parametrize(("links", "options"), [(ONE_WAY, []), (STREETS, ["--undirected"])])
def test_self_loops_and_links_apart_change_nothing(run, links, options):
    alone = bound_of(run, HEAD + links, *options)
    found = bound_of(run, HEAD + links + APART, *options)
    assert found["d"] == alone["d"] + 3
    assert found["decisions"] == alone["decisions"]
    assert found["value"] == pytest.approx(alone["value"], rel=1e-12)


def test_a_link_that_points_the_wrong_way_can_be_used_both_ways(run):
    table = "tail,head,theta\na,home,-1\nhome,a,-2\noffice,a,-1\n"
    found = bound_of(run, table, "--undirected")
    assert found["decisions"] == 2
    assert found["value"] == pytest.approx(1.0, rel=1e-4)  # 2 variance / gap, for the one way that costs 1 more
