"""``semibandits datasets``."""

import json

import pytest

from semibandits import datasets
from semibandits.cli import main


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as leave:
            main(list(arguments))
        captured = capsys.readouterr()
        return leave.value.code, captured.out, captured.err

    return run


def test_all_networks_are_listed(run):
    code, out, err = run("datasets")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    for name in datasets.list_networks():
        network = datasets.network(name)
        assert lines[name][1:3] == [str(len(network.nodes)), str(len(network.links))]
        assert (lines[name][3] == "geographic") == network.geographic
    assert max(len(line) for line in out.splitlines()) <= 80


def test_list_as_json(run):
    networks = json.loads(run("datasets", "--json")[1])
    assert [network["name"] for network in networks] == list(datasets.list_networks())
    assert sum(network["geographic"] for network in networks) == 14


def test_nodes_of_one_network(run):
    code, out, _ = run("datasets", "polska")
    assert code == 0
    assert all(node.name in out for node in datasets.network("polska").nodes)
    network = json.loads(run("datasets", "polska", "--json")[1])
    assert len(network["links"]) == 18
    assert {"name", "x", "y"} == set(network["nodes"][0])


def test_unknown_network(run):
    code, out, err = run("datasets", "polsk")
    assert (code, out) == (2, "")
    assert err == "Error: network must be a known name, got 'polsk': did you mean polska?\n"
