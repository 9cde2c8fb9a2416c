"""Commands that are refused: each ends with code 2 and one line that names the remedy, and writes nothing."""

import itertools
import shlex
from pathlib import Path

import pytest

from semibandits.policies.registry import POLICIES

MSETS = "item,theta\nu,1\nv,0.75\nw,0.5\nx,0.25\n"
GRAPH = "tail,head,theta\na,b,1\nb,d,1\na,c,0.5\nc,d,0.5\na,d,0.25\n"
GROUPED = "item,theta,group\nu,1,p\nv,0.5,p\nw,0.75,q\nx,0.25,q\n"
TWICE = "item,theta,group1,group2\nu,2,p,s\nv,1,p,t\nw,2,q,t\nx,1,q,s\n"
HEAD = "tail,head,theta,least\n"
ONE_WAY = "home,a,-3,2\na,home,-3,2\na,office,-5,3\nhome,b,-4,3\nb,a,-1.5,1\na,b,-1.5,1\nb,office,-3.5,3\n"
STREETS = "home,a,-3,2\nhome,b,-4,3\na,b,-1.5,1\noffice,a,-5,3\nb,office,-3.5,3\n"
APART = "a,a,-1,0\nmill,farm,-2,1\nbarn,barn,-1,0\n"
STUDY = '[problem]\nfile = "table.csv"\nsize = 2\n[simulation]\npolicies = ["CUCB"]\nhorizon = 300\nreplications = 4\n'
KNOWN = ", ".join(policy.__name__ for policy in POLICIES)

BOUND = [
    (GRAPH + "d,a,1\n", "bound table.csv --source a --target d", "theta must be at most 0 for routes, got 1 on line"),
    (GRAPH, "bound table.csv --source a --target z", "target node must be a known name, got 'z'"),
    (GRAPH, "bound table.csv --source d --target a", "target must be reachable from source"),
    (GRAPH + "e,f,1\n", "bound table.csv --family trees", "graph must be connected, got 2 components"),
    ("row,column,theta\n1,x,1\n2,x,1\n3,x,1\n3,y,1\n3,z,1\n", "bound table.csv", "saturate"),
    (GROUPED, "bound table.csv", "add --capacity p=K, or --capacity K for all groups"),
    (GROUPED, "bound table.csv --capacity x", "--capacity must be K or NAME=K with"),
    (MSETS, "bound table.csv", "size must be given for this family, got none: add --size"),
    (TWICE, "bound table.csv --capacity 1 --size 3", "must have a common independent set of size = 3"),
    (MSETS, "bound table.csv --size 5", "at most d = 4"),
    ("item,theta\nu,1,1\n", "bound table.csv --size 1", "each line must have 2 cells"),
    ("item,theta\nu,nan\n", "bound table.csv --size 1", "theta must be finite, got nan on line 2"),
    ("item,theta\nu,inf\n", "bound table.csv --size 1", "theta must be finite, got inf on line 2"),
    ("item,theta,variance\nu,1,0\n", "bound table.csv --size 1", "variance must be positive, got 0"),
    (MSETS, "bound table.csv --size 1 --variance -1", "variance must be positive, got -1.0"),
    (MSETS, "bound table.csv --size 1 --variance nan", "variance must be finite, got nan"),
    ("", "bound table.csv", "must contain an instance, got an empty file"),
    ("item,fame\nu,1\n", "bound table.csv --size 1", "add --column theta=fame to maximise it, or --column costs=fame"),
    ("item,theta\nu,1\nv,one\n", "bound table.csv --size 1", "theta must be a number, got 'one' on line 3"),
    ("item,theta\nu,1\nu,2\n", "bound table.csv --size 1", "items must have distinct names, got 'u' on lines 2 and 3"),
    ("row,column,theta\n1,x,1\n2,x,1\n", "bound table.csv --saturate rows", "row"),
    ("row,column,theta\n1,x,1\n1,y,1\n", "bound table.csv --saturate columns", "column"),
    (GRAPH, "bound table.csv", "family must be clear"),
    (MSETS, "bound table.csv --size 1 --method guess", "method must be one of"),
    (MSETS, "bound table.csv --size 1 --gap 0", "gap must lie in"),
    (MSETS, "bound table.csv --size 1 --time-limit 0", "time_limit must be positive"),
    (GRAPH, "bound table.csv --source a --target d --method closed-form", "the closed form holds for"),
    (MSETS, "bound table.csv --size two", "'--size'"),
    (MSETS, "bound table.csv --seize 2", "--seize"),
    (MSETS, "bound table.csv --size 1 --plot p.jpg", "the figure must end in .png, .pdf, .svg, got 'p.jpg'"),
    (MSETS, "bound table.csv --size 1 --save .", "'.' must be a file, got a folder"),
    (MSETS, "bound table.csv --size 1 --plot none/p.png", "the folder 'none' must exist"),
    (MSETS, "bound table.csv --size 1 --save none/b.json", "the folder 'none' must exist"),
    (None, "bound none.csv", "none.csv must be a readable file, got No such file"),
    (None, "bound germny50", "got 'germny50': did you mean germany50"),
    (None, "bound ./table.ods", ".jsonl, .ndjson or .json, got './table.ods': save it as .xlsx or .csv"),
    (None, "bound germany50", "give --source and --target for paths or routes, or --family trees"),
    (None, "bound germany50 --source Berlin", "paths must have both ends, got no target"),
    (None, "bound germany50 --source Berln --target Essen", "did you mean Berlin"),
    (None, "bound atlanta --family trees", "got the network atlanta, whose coordinates are positions in a drawing"),
    (None, "bound germany50 --family msets", "family of a network must be a known name"),
    (None, "bound germany50 --size 3", "--size must suit the problem"),
    (None, "bound polska --family trees --source Lodz", "--source must suit the problem"),
    (None, "bound", "PROBLEM"),
]  # fmt: skip
ENDS = "--source home --target office"
ROUTES = [
    (HEAD + ONE_WAY + APART, "--source home --target mill", "no path from 'home' to 'mill'"),
    (HEAD + "a,home,-1,0\nhome,a,-1,0\noffice,a,-1,0\n", ENDS, "no path from 'home' to 'office': check whether arcs"),
    (HEAD + STREETS + APART, "--source farm --target office --undirected", "check whether they are in different components"),
    (HEAD + ONE_WAY + APART, "--source barn --target office", "target must be reachable from source"),
    (HEAD + ONE_WAY, "--source home --target home", "source and target must differ, got 'home'"),
    (HEAD + STREETS, "--source a --target a --undirected", "source and target must differ, got 'a'"),
    (HEAD + ONE_WAY, "--source home --target moon", "got 'moon'"),
    (HEAD + ONE_WAY.replace("a,office,-5,3", "a,office,-5,6"), ENDS, "at most -6 for routes, got -5 on line 4"),
    (HEAD + STREETS.replace("office,a,-5,3", "office,a,-5,6"), f"{ENDS} --undirected", "at most -6 for routes, got -5 on line 5"),
    ("tail,head,theta\nhome,a,-3\na,home,-3\na,office,5\n", ENDS, "at most 0 for routes, got 5 on line 4"),
    ("tail,head,theta\nhome,a,-3\na,office,5\n", f"{ENDS} --undirected", "at most 0 for routes, got 5 on line 3"),
    (HEAD + ONE_WAY.replace("-5,3", "-5,-3"), ENDS, "least must be >= 0, got -3"),
]  # fmt: skip
"""Options of a bound of the table."""
SIMULATE = [
    ("-p ESBC", f"the policy must be one of {KNOWN}, got 'ESBC'"),
    ("-p cubc", "did you mean 'CUCB'?"),
    ("-p CUCB:radus=log", "got 'radus': did you mean 'radius'?"),
    ("-p CUCB:radius=loglog", "radius must be a known name, got 'loglog': did you mean"),
    ("-p CUCB:radius", "a policy must be written NAME:key=value,key=value, got 'CUCB:radius'"),
    ("-p CUCB:", "a policy must be written NAME:key=value,key=value, got 'CUCB:'"),
    ("-p ''", "the policy must be one of"),
    ("-p TS:scale=1,scale=2", "parameters must be given once, got scale twice"),
    ("-p TS:scale=-1", "scale must be positive, got -1"),
    ("-p TS:scale=big", "scale must be a number, got 'big'"),
    ("-p CUCB -p cucb", "policies must differ, got CUCB twice"),
    ("-p ESCB:horizon=10", "the horizon must be the same for all policies"),
    ("-T 1.5", "--horizon must be a whole number of at least 1, got '1.5': write a number such as 20"),
    ("-T 0", "--horizon must be a whole number of at least 1, got '0'"),
    ("-T long", "--horizon must be a whole number of at least 1, got 'long'"),
    ("-T inf", "--horizon must be a whole number of at least 1, got 'inf'"),
    ("-T 1e17", "--horizon must be at most 9,007,199,254,740,992, got '1e17'"),
    ("-T 1e999999", "--horizon must be a whole number"),
    ("-n 0", "--replications must be a whole number of at least 1, got '0'"),
    ("-n 1e9", "--replications must be at most 1,000,000, got '1e9'"),
    ("--seed -1", "--seed must be a whole number of at least 0, got '-1'"),
    ("-j 0", "--workers must be a number from 1 to 10,000 or auto, got '0': auto uses one per core"),
    ("-j two", "--workers must be a number from 1 to 10,000 or auto, got 'two'"),
    ("--rewards gausian", "rewards must be a known name, got 'gausian': did you mean gaussian or gamma?"),
    ("--rewards bernoulli --variance 1", "--variance must go with Gaussian rewards, got 1"),
    ("--resume", "--resume must be used with the folder of the earlier run, got none"),
    ("--output table.csv", "'table.csv' must be a folder, got a file"),
    ("--output table.csv/run", "folder must be writable"),
    ("--plot p.jpg", "the figure must end in .png, .pdf, .svg, got 'p.jpg'"),
    ("--plot none/p.png", "the folder 'none' must exist"),
    ("--scheduler nowhere -p CUCB", "scheduler must be the address of a running Dask"),
    ("--horizn 5", "--horizn"),
    ("--family setz", "setz"),
]  # fmt: skip
"""Options after a short simulation."""
RUN = [
    ("run", "STUDY.toml"),
    ("run none.toml", "none.toml must be a readable study file, got No such file or directory"),
    ("run table.csv", "table.csv must be TOML, got a mistake"),
    ("run study.toml -j 0", "--workers must be a number from 1 to 10,000 or auto, got '0'"),
    ("run study.toml --plot p.jpg", "the figure must end in .png, .pdf, .svg, got 'p.jpg'"),
    ("run study.toml --output table.csv", "'table.csv' must be a folder, got a file"),
    ("run study.toml --output table.csv/x", "folder must be writable"),
    ("simulate table.csv --size 2 -T 300 -n 4 --report", "--report must be used with a folder to write it to, got none: add"),
]  # fmt: skip
COMMANDS = [
    *BOUND,
    *((table, f"bound table.csv {options}", message) for table, options, message in ROUTES),
    *((MSETS, f"simulate table.csv --size 2 -T 9 -n 1 {options}", message) for options, message in SIMULATE),
    *((MSETS, command, message) for command, message in RUN),
]
FILES = {"bound": {"--plot": "plan.png", "--save": "bound.json"}, "simulate": {"--output": "run"}, "run": {}}
"""Options by which a command would write files, if it were not refused."""


@pytest.mark.parametrize(("table", "command", "message"), COMMANDS, ids=[command for _, command, _ in COMMANDS])
def test_a_bad_command_is_one_line_and_writes_nothing(run, table, command, message):
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    Path("table.csv").write_text(MSETS if table is None else table, encoding="utf-8")
    before = sorted(path.name for path in Path().iterdir())
    words = shlex.split(command)
    written = {option: name for option, name in FILES[words[0]].items() if not {option, "--resume", "--report"} & {*words}}
    code, out, err = run([*words[:2], *itertools.chain(*written.items()), *words[2:]])
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert message in err
    assert sorted(path.name for path in Path().iterdir()) == before
