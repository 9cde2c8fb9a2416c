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
from semibandits.cli.bound import command as bound
from semibandits.cli.run import command as run
from semibandits.cli.simulate import command as simulate
from semibandits.errors import InvalidInputError
from semibandits.instances import ProblemOptions
from semibandits.policies.registry import POLICIES
from semibandits.studies import BoundOptions, Execution, Output, ProblemChoice, SimulationOptions, Study, read_study
from semibandits.studies.fields import KEYS
from semibandits.studies.policies import PolicyChoice, named_policies
from semibandits.studies.study_file import study_tables, study_text

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
checkpoints = [100, 20_000]

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
            checkpoints=(100, 20_000),
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
    (choice,) = KEYS["simulation"]["policies"].read(tomllib.loads(f"p = [{written}]")["p"])
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
    defaults = {name: each.default for name, each in inspect.signature(simulate).parameters.items()}
    asked = SimulationOptions()
    for name in ("horizon", "replications", "seed"):
        assert str(getattr(asked, name)) == defaults[name]
    assert asked.rewards == defaults["rewards"]
    defaults = {name: each.default for name, each in inspect.signature(bound).parameters.items()}
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
    "policy": [("simulation", "policies")],
    "column": [("problem", "columns")],
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
    for name in inspect.signature(command).parameters:
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
            key.read(content[name])  # raises an error if not
            assert table in EVERYTHING


NETWORK = '[problem]\nnetwork = "polska"\n'
WRONG = {
    "no problem": (
        "[simulation]\n",
        "the table [problem] must name the problem, got none: add it, with one of the keys dataset, network, file",
    ),
    "empty": ("", "the table [problem] must name the problem, got none"),
    "nothing in the problem": (
        "[problem]\nvariance = 1\n",
        ", [problem]: the problem must be one of dataset, network, file, got none of them: give one",
    ),
    "two problems": (
        NETWORK + 'file = "a.csv"\n',
        ", [problem]: the problem must be one of dataset, network, file, got network and file: keep one",
    ),
    "no TOML": (
        "[problem\n",
        "must be TOML, got a mistake: Expected ']' at the end of a table declaration (at line 1, column 9); correct it there",
    ),
    "key twice": (NETWORK + 'network = "polska"\n', "must be TOML, got a mistake: Cannot overwrite a value (at line 3"),
    "unknown table": (
        NETWORK + "[simulaton]\n",
        "tables must be among problem, simulation, bound, execution, output, got 'simulaton': did you mean 'simulation'?",
    ),
    "table of another kind": (NETWORK + "[weather]\n", "got 'weather': remove it"),
    "table with a capital": (NETWORK + "[Bound]\n", "got 'Bound': did you mean 'bound'?"),
    "table that is a key": (
        "problem = 3\n",
        "problem must be a table, got 3: write [problem] on a line of its own, and its keys below it",
    ),
    "list of tables": (
        "[[problem]]\nnetwork = 'polska'\n",
        "problem must be a table, got [{'network': 'polska'}]: write [problem]",
    ),
    "key without a table": (
        "horizon = 5\n",
        "horizon must be in the table [simulation], got it outside all tables: move it there",
    ),
    "unknown key": (
        NETWORK + "[simulation]\nhorizn = 5\n",
        "keys of [simulation] must be among policies, rewards, horizon, "
        "replications, seed, delay, loss, checkpoints, got 'horizn': did you mean 'horizon'?",
    ),
    "short for a key": (NETWORK + "[simulation]\nreplic = 5\n", "got 'replic': did you mean 'replications'?"),
    "singular of a key": (NETWORK + "[simulation]\npolicy = ['CUCB']\n", "got 'policy': did you mean 'policies'?"),
    "key as an option": (NETWORK + "[bound]\ntime-limit = 5\n", "got 'time-limit': did you mean 'time_limit'?"),
    "key of another table": (NETWORK + "[simulation]\nworkers = 2\n", "got 'workers': it belongs to [execution], move it there"),
    "key of no table": (
        NETWORK + "[bound]\ncolour = 2\n",
        "keys of [bound] must be among law, method, gap, time_limit, tie_tolerance, got 'colour': remove it",
    ),
    "horizon in words": (
        NETWORK + "[simulation]\nhorizon = 'long'\n",
        "horizon in [simulation] must be a whole number from 1 to 2**53, got 'long': write for instance horizon = 20000",
    ),
    "broken horizon": (NETWORK + "[simulation]\nhorizon = 1.5\n", "got 1.5: write for instance"),
    "horizon of 0": (NETWORK + "[simulation]\nhorizon = 0\n", "got 0: write"),
    "endless horizon": (NETWORK + "[simulation]\nhorizon = inf\n", "got inf: write"),
    "truth as a number": (
        NETWORK + "[simulation]\nseed = true\n",
        "seed in [simulation] must be a whole number of at least 0, got true: write for instance seed = 0",
    ),
    "too many replications": (
        NETWORK + "[simulation]\nreplications = 10_000_000\n",
        "must be a whole number from 1 to 1,000,000, got 10000000",
    ),
    "negative seed": (NETWORK + "[simulation]\nseed = -1\n", "got -1: write"),
    "one policy without a list": (
        NETWORK + "[simulation]\npolicies = 'CUCB'\n",
        "policies in [simulation] must be a list of policies, each a text, or "
        'a table with the key name, got \'CUCB\': write for instance policies = ["CUCB", "OSSB:gamma=0.1"]',
    ),
    "no policies": (
        NETWORK + "[simulation]\npolicies = []\n",
        "must be a list of policies, each a text, or a table with the key name, got []",
    ),
    "unknown policy": (
        NETWORK + "[simulation]\npolicies = ['ESBC']\n",
        f"policies in [simulation]: the policy must be one of {', '.join(policy.__name__ for policy in POLICIES)}, got 'ESBC'",
    ),
    "unknown parameter": (NETWORK + "[simulation]\npolicies = [{name='OSSB', gama=1}]\n", "got 'gama': did you mean 'gamma'?"),
    "parameter that cannot be kept": (
        NETWORK + "[simulation]\npolicies = [{name='GLADE', law='gamma:shape=2,cost'}]\n",
        "a policy must be written NAME:key=value,key=value, got 'GLADE:law=gamma:shape=2,cost'",
    ),
    "truth for a number": (
        NETWORK + "[simulation]\npolicies = [{name='OSSB', gamma=true}]\n",
        "gamma must be a number, got 'true'",
    ),
    "date for a number": (
        NETWORK + "[simulation]\npolicies = [{name='OSSB', gamma=1979-05-27}]\n",
        "policies in [simulation] must be a list of policies",
    ),
    "horizon of one policy": (
        NETWORK + "[simulation]\npolicies = ['OSSB:horizon=9']\n",
        "the horizon must be the same for all policies, got 'OSSB:horizon=9': use horizon, and simulate",
    ),
    "policy without a name": (
        NETWORK + "[simulation]\npolicies = [{gamma=1}]\n",
        "a table with the key name, got [{'gamma': 1}]",
    ),
    "policy twice": (
        NETWORK + "[simulation]\npolicies = ['CUCB', 'cucb']\n",
        "policies in [simulation]: policies must differ, got CUCB twice",
    ),
    "unknown rewards": (
        NETWORK + "[simulation]\nrewards = 'gausian'\n",
        "rewards in [simulation] must be one of gaussian, bernoulli, poisson, gamma, replay, got 'gausian': did you mean "
        "'gaussian'?",
    ),
    "rewards of no kind": (NETWORK + "[simulation]\nrewards = 3\n", 'got 3: write for instance rewards = "gaussian"'),
    "checkpoints in words": (
        NETWORK + "[simulation]\ncheckpoints = ['a']\n",
        "checkpoints in [simulation] must be a list of rounds, the last one the horizon, got ['a']",
    ),
    "unknown method": (
        NETWORK + "[bound]\nmethod = 'cycle'\n",
        "method in [bound] must be one of auto, closed-form, cycles, columns, "
        "glpg, enumeration, got 'cycle': did you mean 'cycles'?",
    ),
    "gap of 1": (
        NETWORK + "[bound]\ngap = 1\n",
        "gap in [bound] must be a number between 0 and 1, got 1: write for instance gap = 1e-4",
    ),
    "gap that is none": (NETWORK + "[bound]\ngap = nan\n", "got nan: write"),
    "no time": (
        NETWORK + "[bound]\ntime_limit = 0\n",
        "time_limit in [bound] must be a positive number of seconds, or inf, got 0",
    ),
    "loose ties": (
        NETWORK + "[bound]\ntie_tolerance = 0.1\n",
        "tie_tolerance in [bound] must be a number from 0 to 1e-3, got 0.1",
    ),
    "no workers": (
        NETWORK + "[execution]\nworkers = 0\n",
        'workers in [execution] must be a number from 1 to 10,000, or "auto", got 0: write for instance workers = "auto"',
    ),
    "workers in words": (NETWORK + "[execution]\nworkers = 'two'\n", "got 'two': write"),
    "scheduler": (
        NETWORK + "[execution]\nscheduler = 'tcp://host:8786'\n",
        "the scheduler must be named where the study is run, got one in [execution]: remove it and, if you trust that cluster, "
        "whose answers can run code here, add scheduler='ADDRESS'",
    ),
    "folder of no kind": (
        NETWORK + "[output]\nfolder = true\n",
        "folder in [output] must be a path in quotes, relative to the study file, got true",
    ),
    "empty folder": (NETWORK + "[output]\nfolder = ''\n", "got '': write for instance folder = \"results\""),
    "figure of no kind": (
        NETWORK + "[output]\nfigure = 3\n",
        "figure in [output] must be true, false, or the name of a file in quotes, got 3",
    ),
    "report in words": (
        NETWORK + "[output]\nreport = 'yes'\n",
        "report in [output] must be true or false, got 'yes': write for instance report = true",
    ),
    "network of no kind": (
        "[problem]\nnetwork = 50\n",
        "network in [problem] must be the name of a built-in network, in "
        'quotes, got 50: write for instance network = "germany50"',
    ),
    "size in words": (
        "[problem]\nfile = 'a.csv'\nsize = 'two'\n",
        "size in [problem] must be a whole number of at least 0, got 'two'",
    ),
    "unknown sides": (
        "[problem]\nfile = 'a.csv'\nsaturate = 'row'\n",
        "saturate in [problem] must be both, rows, columns or none, got 'row': did you mean 'rows'?",
    ),
    "capacity of no kind": (
        "[problem]\nfile = 'a.csv'\ncapacity = 0.5\n",
        "capacity in [problem] must be a number, a text, or a list of these, "
        'got 0.5: write for instance capacity = [2, "drama=3"]',
    ),
    "no variance": (NETWORK + "variance = 0\n", "variance in [problem] must be a positive number, got 0"),
    "a long value": (NETWORK + f"[output]\nfolder = {list(range(50))}\n", "got a list: write"),
    "a long text": (NETWORK + f"[output]\nreport = '{'x' * 99}'\n", "got a long text: write"),
    "lists in lists": (
        NETWORK + f"size = {'[' * 5000}{']' * 5000}\n",
        "must be TOML, got a number of thousands of digits or lists within hundreds",
    ),
    "a number without end": (
        NETWORK + f"size = {'9' * 5000}\n",
        "must be TOML, got a number of thousands of digits or lists within hundreds",
    ),
    "a seed without end": (
        NETWORK + f"[simulation]\nseed = 0x{'f' * 5000}\n",
        "seed in [simulation] must be a whole number of at least 0, got a very long number",
    ),
    "a source without end": (NETWORK + f"source = 0x{'f' * 5000}\n", "source in [problem] must be a text in quotes, got a v"),
    "a list without end": (NETWORK + f"[output]\nreport = [0x{'f' * 5000}]\n", "must be true or false, got a list"),
    "a policy without end": (
        NETWORK + f"[simulation]\npolicies = [{{name = 'OSSB', gamma = 0x{'f' * 5000}}}]\n",
        "policies in [simulation] must be a list of policies",
    ),
    "a variance above all floats": (NETWORK + f"variance = 1{'0' * 400}\n", "must be a positive number, got a very long"),
    "a limit above all floats": (NETWORK + f"[bound]\ntime_limit = 1{'0' * 400}\n", "of seconds, or inf, got a very long"),
    "too many workers": (NETWORK + "[execution]\nworkers = 10_001\n", 'a number from 1 to 10,000, or "auto", got 10001'),
    "no such home": (
        NETWORK + "[output]\nfolder = '~no body/x'\n",
        "got '~no body/x': ~ starts the name of a home folder, and there is no such folder; write './~no body/x'",
    ),
    "file of no such home": ("[problem]\nfile = '~no body.csv'\n", "write './~no body.csv'"),
    "figure with a zero": (NETWORK + '[output]\nfigure = "a\\u0000.png"\n', "names of files have no zero byte, drop it"),
    "a table for a value": (NETWORK + "[simulation.seed]\na = 1\n", "got a table: write"),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named(written, case):
    text, message = WRONG[case]
    path = written(text)
    with pytest.raises(InvalidInputError) as error:
        read_study(path)
    said = str(error.value)
    assert said.startswith(str(path))
    assert message in said
    assert "\n" not in said


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInputError, match=r"none.toml must be a readable study file, got No such file.*check the path"):
        read_study(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"[problem]\n\xff")
    with pytest.raises(InvalidInputError, match="must be text in UTF-8, got a byte that is not at position 10"):
        read_study(tmp_path / "bytes.toml")
    with pytest.raises(
        InvalidInputError, match=r"must be a study file, got a folder: give the file in it, for instance .*/study.toml$"
    ):
        read_study(tmp_path)


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
