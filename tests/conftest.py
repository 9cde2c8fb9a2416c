"""Number of generated examples, order of the tests, and worst approximation ratios, collected from all test processes."""

import gc
import random
import signal
from itertools import groupby
from zlib import crc32

import pytest
from hypothesis import settings

from semibandits.kernels.machine.background import background

SHARE = 0.2
"""Of the examples that a random test states, the suite draws this share, the same ones in each run."""
LEAST = 10
"""The share of so few examples is all of them."""
WORST = pytest.StashKey()
"""Worst ratio and number of instances for each family and problem."""
gc.disable()  # while tests are collected: hardly anything is garbage, and the search for it would take longer with every file


def add_ratio(config, family, problem, worst, instances):
    rows = config.stash[WORST]
    old_worst, old_instances = rows.get((family, problem), (worst, 0))
    rows[family, problem] = (min(worst, old_worst), instances + old_instances)


def pytest_addoption(parser):
    parser.addoption("--examples", type=float, metavar="N", help="draw N times the stated examples, other ones in each run")
    order = {"type": int, "nargs": "?", "const": random.randrange(10**6), "metavar": "SEED"}
    parser.addoption("--shuffle", help="take the files in another order, which the seed gives again", **order)


def pytest_configure(config):
    # A first example may compile or load a kernel: how long it takes says nothing.
    is_suite = config.getoption("--examples") is None
    settings.register_profile("semibandits", deadline=None, derandomize=is_suite, print_blob=not is_suite)
    settings.load_profile("semibandits")
    # Background jobs of a shell ignore SIGINT, and so would every process that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # A thread that loads code would now and then keep a test from compiling. Processes that tests start compile as users' do.
    background.is_off = True
    config.stash[WORST] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Begin with long tests, so that no process is left with one of them at the end, while the others have nothing to do."""
    seen = set()
    for item in items:
        one_in = item.get_closest_marker("one_in")
        function = item.nodeid.partition("[")[0]
        if one_in and function in seen and crc32(item.nodeid.encode()) % one_in.args[0]:
            item.add_marker(pytest.mark.verify)
        seen.add(function)
    if not config.getoption("markexpr"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("verify")])
        items[:] = [item for item in items if not item.get_closest_marker("verify")]
    factor = config.getoption("--examples")
    for function in {getattr(item.obj, "__func__", item.obj) for item in items if hasattr(item.obj, "hypothesis")}:
        stated = function._hypothesis_internal_use_settings
        wanted = round((SHARE if factor is None else factor) * stated.max_examples)
        examples = max(wanted, min(stated.max_examples, LEAST))
        function._hypothesis_internal_use_settings = settings(stated, max_examples=examples)
    seed = getattr(config, "workerinput", {"shuffle": config.getoption("--shuffle")})["shuffle"]
    if seed is None:
        items.sort(key=lambda item: item.get_closest_marker("long") is None)
    else:
        files = [[*group] for _, group in groupby(items, key=lambda item: item.path)]
        random.Random(seed).shuffle(files)
        items[:] = [item for file in files for item in file]


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # all that was imported stays, and would be searched again and again
    gc.enable()


def pytest_unconfigure():
    gc.freeze()  # the end of the process frees everything


@pytest.fixture
def blank_figures(request, monkeypatch):
    """Figures are written without their drawing, which takes most of their time and has tests of its own, unless `drawn`."""
    if request.node.get_closest_marker("drawn") is None:
        monkeypatch.setattr("matplotlib.figure.Figure.draw", lambda figure, renderer: None)


@pytest.fixture(scope="session")
def record_ratio(pytestconfig):
    """Call ``record_ratio(family, problem, ratio)`` for each instance, with the ratio of the value found to the best value."""

    def record(family, problem, ratio):
        add_ratio(pytestconfig, family, problem, float(ratio), 1)

    return record


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["worst_ratios"] = [[*key, *row] for key, row in session.config.stash[WORST].items()]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["shuffle"] = node.config.getoption("--shuffle")  # the same seed for all processes


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    for row in getattr(node, "workeroutput", {}).get("worst_ratios", []):
        add_ratio(node.config, *row)


def pytest_terminal_summary(terminalreporter, config):
    if config.getoption("--shuffle") is not None:
        terminalreporter.write_line(f"the order of the files was that of --shuffle {config.getoption('--shuffle')}")
    rows = config.stash[WORST]
    if not rows:
        return
    terminalreporter.section("worst ratios seen")
    for (family, problem), (worst, instances) in sorted(rows.items()):
        terminalreporter.write_line(f"{family:<24} {problem:<32} {worst:.6f} over {instances:,} instances")
