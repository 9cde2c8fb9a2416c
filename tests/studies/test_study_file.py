"""Study files: reading, and error messages."""

import dataclasses
import inspect
import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.instances import ProblemOptions
from semibandits.studies import BoundOptions, Execution, Output, ProblemChoice, SimulationOptions, Study, read_study
from semibandits_studies.cli.bound import command as bound
from semibandits_studies.cli.options import with_options
from semibandits_studies.cli.run import command as run
from semibandits_studies.cli.simulate import command as simulate
from semibandits_studies.studies.fields import KEYS
from semibandits_studies.studies.policies import PolicyChoice, named_policies
from semibandits_studies.studies.study_file import study_tables, study_text

EVERYTHING = """
[problem]
file = "data/items.csv"
family = "intersection"
source = 7
target = "z"
undirected = true
size = 3
saturate = "rows"
capacity = [2, "drama=3"]
variance = 2
minimize = true
columns = {theta = "click rate", item = 7}
title = "Front page"
unit = "clicks"
question = "Which articles?"

[simulation]
policies = ["thompson", "OSSB: gamma=0.1", {name = "escb", radius = "kveton", variance = 1}]
rewards = "Gaussian"
horizon = 2e4
replications = 10
seed = 3
delay = "geometric:20"
loss = 0.05
stop_at = 0.95
stop_within = 0
stop_threshold = "Customary"
today = ["Storm", "Cup"]
prior_plays = 5
checkpoints = [100, 20_000]
features = ["minutes", "topic"]

[bound]
law = "Gamma: shape=2, cost"
method = "cycles"
gap = 0.01
time_limit = inf
tie_tolerance = 0

[execution]
workers = "auto"

[output]
folder = "out/here"
figure = "figure.pdf"
report = false
"""


@pytest.fixture
def written(tmp_path):
    def written(text):
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_every_key_is_read(written):
    path = written(EVERYTHING)
    study = read_study(path)
    options = ProblemOptions(
        family="intersection",
        source="7",
        target="z",
        size=3,
        saturate="rows",
        capacities=("2", "drama=3"),
        variance=2.0,
        undirected=True,
        minimize=True,
        columns=("theta=click rate", "item=7"),
        title="Front page",
        unit="clicks",
        question="Which articles?",
    )
    assert study == Study(
        problem=ProblemChoice(file=path.parent / "data/items.csv", options=options),
        simulation=SimulationOptions(
            policies=("ThompsonSampling", "OSSB:gamma=0.1", PolicyChoice("ESCB", {"radius": "kveton", "variance": 1})),
            rewards="gaussian",
            horizon=20_000,
            replications=10,
            seed=3,
            delay="geometric:20",
            loss=0.05,
            stop_at=0.95,
            stop_within=0.0,
            stop_threshold="customary",
            today=("Storm", "Cup"),
            prior_plays=5,
            checkpoints=(100, 20_000),
            features=("minutes", "topic"),
        ),
        bound=BoundOptions(law="gamma: shape=2, cost", method="cycles", gap=0.01, time_limit=math.inf, tie_tolerance=0.0),
        execution=Execution(workers=-1),
        output=Output(folder=path.parent / "out/here", figure="figure.pdf", report=False),
    )
    assert {table: set(keys) for table, keys in tomllib.loads(EVERYTHING).items()} == {
        table: set(keys) - ({"dataset", "network"} if table == "problem" else set()) for table, keys in KEYS.items()
    }


@pytest.mark.parametrize(
    ("written", "text", "policy"),
    [
        ("'thompson'", "ThompsonSampling", sb.ThompsonSampling()),
        ("' ossb : gamma = 1e-1 '", "OSSB:gamma=1e-1", sb.OSSB(gamma=0.1)),
        ("{name = 'OSSB', gamma = 1e-1}", "OSSB:gamma=0.1", sb.OSSB(gamma=0.1)),
        ("{name = 'ossb', gamma = 1, epsilon = 1e-05}", "OSSB:gamma=1,epsilon=1e-05", sb.OSSB(gamma=1.0, epsilon=1e-05)),
        ("{name = 'GLADE', remembered = 2.0}", "GLADE:remembered=2.0", sb.GLADE(remembered=2)),
        ("{name = 'GLADE', law = ' poisson'}", "GLADE:law=poisson", sb.GLADE(law="poisson")),
        ("{name = 'OSSB:gamma=0.5', gap = 0.25}", "OSSB:gamma=0.5,gap=0.25", sb.OSSB(gamma=0.5, gap=0.25)),
    ],
)  # fmt: skip
def test_policies_have_one_text_form(written, text, policy):
    """Results and their folder contain it; read from there, it is the same policy of the same name."""
    (choice,) = KEYS["simulation"]["policies"].kind.read(tomllib.loads(f"p = [{written}]")["p"])
    assert str(choice) == str(PolicyChoice.of(text)) == text
    name, _, parameters = text.partition(":")
    label = f"{name}({parameters.replace(',', ', ')})" if parameters else name
    assert named_policies([choice]) == named_policies([text]) == {label: policy}


def test_defaults_are_those_of_the_command_line(written):
    path = written('[problem]\nnetwork = "polska"\n[simulation]\n')
    assert read_study(path) == Study(
        problem=ProblemChoice(network="polska"),
        simulation=SimulationOptions(),
        output=Output(folder=path.with_name("study-results")),
    )
    defaults = {name: each.default for name, each in inspect.signature(with_options(simulate)).parameters.items()}
    asked = SimulationOptions()
    for name in ("horizon", "replications", "seed"):
        assert str(getattr(asked, name)) == defaults[name]
    assert asked.rewards == defaults["rewards"]
    defaults = {name: each.default for name, each in inspect.signature(with_options(bound)).parameters.items()}
    for name in ("method", "gap", "tie_tolerance", "time_limit"):
        assert getattr(BoundOptions(), name) == defaults[name]


def test_without_a_simulation_only_the_bound_is_computed(written):
    study = read_study(written('[problem]\ndataset = "germany50-routing"\n'))
    assert study.simulation is None
    assert study.bound_seconds is None
    assert dataclasses.replace(study, simulation=SimulationOptions()).bound_seconds == 60


BYTE_ORDER_MARK = "\ufeff"


def test_files_as_other_systems_write_them(written):
    path = written("")
    text = BYTE_ORDER_MARK + '[problem]\nnetwork = "polska"\n'
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert read_study(path).problem.network == "polska"


def test_the_home_folder_and_absolute_paths_are_not_beside_the_file(written, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = written(f"[problem]\nfile = '~/x.csv'\n[output]\nfolder = '{tmp_path}/elsewhere'\n")
    study = read_study(path)
    assert study.problem.file == tmp_path / "home" / "x.csv"
    assert study.output.folder == tmp_path / "elsewhere"


OPTIONS = {
    "problem": [("problem", "dataset"), ("problem", "network"), ("problem", "file")],
    "capacities": [("problem", "capacity")],
    "output": [("output", "folder")],
    "plot": [("output", "figure")],
}
"""Options that are called otherwise in a file; the others have the name that they have in the signature."""
NOT_IN_FILES = {
    "as_json": "how one run is printed",
    "progress": "how one run is printed",
    "everything": "how one run is printed",
    "save": "bound.json is always kept in the folder",
    "resume": "a study goes on by itself",
    "extend": "a decision for one run",
    "study": "the file itself",
    "scheduler": "what a cluster returns can run code, so the user names it, not a file",
}


@pytest.mark.parametrize("command", [bound, simulate, run])
def test_all_options_of_commands_exist_in_files(command):
    for name in inspect.signature(with_options(command)).parameters:
        if name in NOT_IN_FILES:
            assert not any(name in keys for keys in KEYS.values())
            continue
        places = OPTIONS.get(name) or [(table, name) for table, keys in KEYS.items() if name in keys]
        assert places, f"--{name} of {command.__name__} has no key in study files"
        for table, key in places:
            assert key in KEYS[table]


def test_the_examples_in_messages_are_right(written):
    for table, keys in KEYS.items():
        for name, key in keys.items():
            content = tomllib.loads(key.example)
            assert list(content) == [name]
            key.kind.read(content[name])  # raises an error if not
            assert table in EVERYTHING


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    table=st.sampled_from(sorted(KEYS)),
    data=st.data(),
    kind=st.sampled_from(["left out", "doubled", "swapped", "hyphen", "capital"]),
)
def test_a_key_with_one_slip_is_recognised(tmp_path_factory, table, data, kind):
    key = data.draw(st.sampled_from(sorted(KEYS[table])))
    at = data.draw(st.integers(1, len(key) - 2)) if len(key) > 3 else 1
    slips = {
        "left out": key[:at] + key[at + 1 :],
        "doubled": key[:at] + key[at] + key[at:],
        "swapped": key[:at] + key[at + 1] + key[at] + key[at + 2 :],
        "hyphen": key.replace("_", "-"),
        "capital": key.capitalize(),
    }
    slip = slips[kind]
    if any(slip in keys for keys in KEYS.values()):
        return
    path = tmp_path_factory.mktemp("slip") / "study.toml"
    path.write_text(f"[{table}]\n{slip} = 1\n", encoding="utf-8")
    with pytest.raises(InvalidInputError) as error:
        read_study(path)
    assert f"got {slip!r}: did you mean {key!r}?" in str(error.value)


CHOICES = st.one_of(
    st.builds(
        lambda source, target, variance: ProblemChoice(
            network="polska", options=ProblemOptions(source=source, target=target, variance=variance)
        ),
        st.sampled_from(["Lodz", "Zürich"]),
        st.sampled_from(["a", 'quote " \\']),
        st.none() | st.floats(1e-9, 1e9),
    ),
    st.just(ProblemChoice(network="polska", options=ProblemOptions(family="trees"))),
    st.just(ProblemChoice(dataset="germany50-routing")),
)
POLICIES = ["CUCB", "OSSB:gamma=0.25", "ESCB:radius=kveton,variance=2"]
SIMULATIONS = st.builds(
    SimulationOptions,
    policies=st.lists(st.sampled_from(POLICIES), min_size=1, unique=True).map(tuple),
    rewards=st.sampled_from(["gaussian", "bernoulli", "replay"]),
    horizon=st.integers(1, 2**53),
    replications=st.integers(1, 10**6),
    seed=st.integers(0, 10**30),
    checkpoints=st.none() | st.lists(st.integers(1, 100), min_size=1).map(tuple),
)
STUDIES = st.builds(
    Study,
    problem=CHOICES,
    simulation=st.none() | SIMULATIONS,
    bound=st.builds(
        BoundOptions,
        law=st.sampled_from([None, "bernoulli", "gamma:shape=2,cost"]),
        method=st.sampled_from(["auto", "glpg"]),
        gap=st.floats(1e-12, 0.5),
        time_limit=st.none() | st.just(math.inf) | st.floats(1e-3, 1e9),
        tie_tolerance=st.floats(0, 9e-4),
    ),
    execution=st.builds(Execution, workers=st.sampled_from([-1, 1, 8])),
    output=st.builds(Output, folder=st.none(), figure=st.booleans(), report=st.booleans()),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(STUDIES)
def test_the_study_in_the_folder_is_the_same(tmp_path_factory, study):
    path = tmp_path_factory.mktemp("kept") / "study.toml"
    path.write_text(study_text(study), encoding="utf-8")
    again = read_study(path)
    assert again.output == dataclasses.replace(study.output, folder=path.parent)
    assert again.bound_seconds == study.bound_seconds
    assert (again.problem, again.simulation, again.execution) == (study.problem, study.simulation, study.execution)
    bounds = [dataclasses.replace(each.bound, time_limit=None) for each in (again, study)]
    assert bounds[0] == bounds[1]
    assert study_tables(again) == study_tables(study)
    assert study_text(again) == study_text(study)


def test_the_address_of_a_cluster_is_not_stored():
    study = Study(problem=ProblemChoice(network="polska"), execution=Execution(scheduler="tcp://secret:8786"))
    assert "secret" not in study_text(study)


def test_files_become_the_instance_beside():
    options = ProblemOptions(size=3, capacities=("2",))
    study = Study(problem=ProblemChoice(file=Path("x/items.csv"), options=options))
    assert study_tables(study)["problem"] == {"file": "instance.json"}
