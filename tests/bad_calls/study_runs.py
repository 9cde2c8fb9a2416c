"""Studies that are refused when they are run, in words of the study file; nothing is solved, played or written."""

import re
from pathlib import Path

import semibandits as sb
from semibandits.studies import Output, ProblemChoice, SimulationOptions, Study, find_problem, load_problem, read_study, run_study

FILES = {
    "table.csv": "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n",
    "sure.csv": "item,theta\nu,1\nv,1.75\nw,0.5\n",
    "groups.csv": "item,group,theta\nu,p,1\nv,p,2\n",
    "roads.csv": "tail,head,theta\na,b,-1\na,b,-2\n",
}
SIZE = 'file = "table.csv"\nsize = 2'
PLAYED = '[simulation]\npolicies = ["CUCB"]\nhorizon = 300\nreplications = 4\n'


def run(folder, text, kept=()):
    """The study, in a folder with the tables and what is kept in its folder of results: names and texts."""
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    for name, content in kept:
        (folder / "study-results").mkdir(exist_ok=True)
        (folder / "study-results" / name).write_text(content, encoding="utf-8")
    before = {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}
    try:
        run_study(read_study(folder / "study.toml"))
    finally:
        assert {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")} == before


def problem(folder, text, more="[simulation]\nhorizon = 5\n"):
    try:
        run(folder, f"[problem]\n{text}\n{more}")
    except sb.InvalidInputError as error:
        assert re.match(rf"{re.escape(str(folder))}/study.toml(, \[\w+\])?: ", str(error))  # noqa: PT017
        assert "--" not in str(error).replace("--plot FILE", "")  # noqa: PT017
        raise


def output(folder, text):
    problem(folder, SIZE, f"[output]\n{text}\n")


def played(folder, more, keys=""):
    problem(folder, SIZE + keys, PLAYED + more)


def policy_objects():
    Study(problem=find_problem("germany50-routing"), simulation=SimulationOptions(policies=(sb.CUCB(),)))


GROUPS = (
    "each group must have a capacity, got none for 'p' of the column group: "
    'add capacity = ["p=K"], or capacity = ["K"] for all groups, or ignore the groups: family = "msets"'
)
OTHER = "[problem]\nnetwork = 'polska'\n"
SURE = 'file = "sure.csv"\nsize = 2'
ROADS = 'file = "roads.csv"\nsource = "a"\ntarget = "b"'
CLOSED_FORM, GLPG = '[bound]\nmethod = "closed-form"\n', '[bound]\nmethod = "glpg"\n'
NO_GLPG = ("method='glpg' is for Gaussian rewards without a known bound, got Bernoulli()", sb.UnsupportedError)
NO_BASES = ("the closed form holds for matroid bases", sb.UnsupportedError)
OUTSIDE = 'write figure = "photo.png", or name the place when you run the study: --plot FILE'
FIGURE = "figure must be a Path, or the name of a file in folder, got"
NO_OUTCOMES = "replay must have observed outcomes to draw from, got table, which has none: choose "
BOUND = "must be without bound.json before a study starts"
LODZ = sb.studies.ProblemOptions(source="Lodz")
REFUSED = [
    (lambda f: problem(f, 'network = "polska"\nsource = "Lodz"'), 'must have both ends, got no target: add target = "NODE"'),
    (lambda f: problem(f, 'network = "polska"'), 'give source and target for paths or routes, or family = "trees"'),
    (lambda f: problem(f, 'network = "polska"\nsize = 2'), "size must suit the problem, got it with the network polska"),
    (lambda f: problem(f, 'dataset = "power-grid"\nfamily = "trees"'), "suit the problem, got it with the dataset power-grid"),
    (lambda f: problem(f, 'network = "power-grid"'), "got 'power-grid', a dataset: write dataset for network"),
    (lambda f: problem(f, 'dataset = "germany50"'), "got 'germany50', a network: write network for dataset"),
    (lambda f: problem(f, 'file = "none.csv"'), "must be a readable file, got No such file or directory: check the path"),
    (lambda f: problem(f, 'file = "study.toml"'), "studies are for semibandits run"),
    (lambda f: problem(f, 'file = "table.csv"'), "[problem]: size must be given for this family, got none: add size"),
    (lambda f: problem(f, 'file = "table.csv"\ncapacity = 2'), "with partition or intersection, got it with msets: drop it"),
    (lambda f: problem(f, 'file = "groups.csv"'), f"study.toml, [problem]: {GROUPS}"),
    (lambda f: problem(f, ""), 'got none of them: give one, for instance network = "germany50"'),
    (lambda f: played(f, "checkpoints = [1, 5]\n"), "checkpoints must be increasing rounds from 1 to horizon = 300"),
    (lambda f: played(f, '[output]\nfigure = "p.jpg"\n'), "study.toml, [output]: the figure must end in "),
    (lambda f: played(f, 'rewards = "bernoulli"\n', "\nvariance = 2"), "variance must go with Gaussian rewards, got 2 with"),
    (lambda f: problem(f, SURE, PLAYED + 'rewards = "bernoulli"'), 'got 1.75 for v: use rewards = "gaussian"'),
    (lambda f: played(f, 'rewards = "poisson"\n[bound]\nlaw = "poisson"\n'), "law must be left out beside a simulation"),
    (lambda f: played(f, 'rewards = "replay"\n'), NO_OUTCOMES),
    (lambda f: problem(f, 'dataset = "power-grid"', PLAYED + 'rewards = "replay"'), "got power-grid, which has none: choose "),
    (lambda f: played(f, f'rewards = "bernoulli"\n{GLPG}'), *NO_GLPG),
    (lambda f: problem(f, ROADS, CLOSED_FORM), *NO_BASES),
    (lambda f: problem(f, ROADS, f"{PLAYED}{CLOSED_FORM}"), *NO_BASES),
    (lambda f: output(f, "figure = 'victim/photo.png'"), f"got 'victim/photo.png': {OUTSIDE}"),
    (lambda f: output(f, "figure = '../photo.png'"), f"a file in the folder of the results, got '../photo.png': {OUTSIDE}"),
    (lambda f: output(f, "figure = 'study-results/more/photo.png'"), OUTSIDE),
    (lambda: Output(folder=None, figure="a.png"), f"{FIGURE} 'a.png'"),
    (lambda: Output(folder=Path(), figure="b/a.png"), f"{FIGURE} 'b/a.png'"),
    (lambda: load_problem(ProblemChoice(network="polska", options=LODZ)), "both ends, got no target: add target='NODE'"),
    (policy_objects, "policies of studies must be texts, "),
    # Other files where results should go
    (lambda f: run(f, f"[problem]\n{SIZE}\n", [("instance.json", "{}")]), "must be without instance.json, got another instance"),
    (lambda f: run(f, f"[problem]\n{SIZE}\n", [("study.toml", "[problem")]), "study-results/study.toml must be TOML, got"),
    (lambda f: run(f, f"[problem]\n{SIZE}\n", [("study.toml", OTHER)]), "got another file, network, bound in "),
    (lambda f: run(f, f"[problem]\n{SIZE}\n", [("bound.json", "{")]), BOUND),
    (lambda f: run(f, f"[problem]\n{SIZE}\n", [("bound.json", '{"asked": 1}')]), BOUND),
    (lambda f: run(f, f"[problem]\n{SIZE}\n[output]\nfolder = 'table.csv'\n"), "must be a folder, got a file"),
]  # fmt: skip
CALLS = [(call, re.escape(message), *error) for call, message, *error in REFUSED]
