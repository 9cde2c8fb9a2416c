"""Study files with mistakes: the message begins with the file, and names the table, the key and the remedy."""

import re

from semibandits.policies.registry import POLICIES
from semibandits.studies import read_study

NETWORK = '[problem]\nnetwork = "polska"\n'
LAW = "gamma:shape=2,cost"
ENDLESS = f"0x{'f' * 5000}"


def read(folder, text):
    path = folder / "study.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        read_study(path)
    except Exception as error:
        assert str(error).startswith(str(path))  # noqa: PT017
        raise


def keys(folder, table, text):
    """A study of a network, with more keys in the table of the problem or in another table."""
    read(folder, NETWORK + ("" if table == "problem" else f"[{table}]\n") + f"{text}\n")


def file(folder, text):
    read(folder, f"[problem]\nfile = 'a.csv'\n{text}\n")


ROUNDS = "a whole number from 1 to 9,007,199,254,740,992"
CHOICE = ", [problem]: the problem must be one of dataset, network, file, got"
POLICY_LIST = "policies in [simulation] must be a list of policies, each a text, or a table with the key name, got"
KNOWN = ", ".join(policy.__name__ for policy in POLICIES)
ENDLESS_NUMBER = "must be TOML, got a number of thousands of digits or lists within hundreds"
SCHEDULER = (
    "the scheduler must be named where the study is run, got one in [execution]: remove it and, if you trust that cluster, "
    "whose answers can run code here, add scheduler='ADDRESS'"
)
MISTAKES = [
    (lambda f: read_study(f / "none.toml"), "must be a readable study file, got No such file or directory: check the path"),
    (lambda f: read_study(f), "must be a study file, got a folder: give the file in it, for instance "),
    (lambda f: read(f, b"[problem]\n\xff"), "must be text in UTF-8, got a byte that is not at position 10"),
    (lambda f: read(f, "[simulation]\n"), "must name the problem, got none: add it, with one of the keys dataset, network, file"),
    (lambda f: read(f, "[problem]\nvariance = 1\n"), f"{CHOICE} none of them: give one"),
    (lambda f: keys(f, "problem", 'file = "a.csv"'), f"{CHOICE} network and file: keep one"),
    (lambda f: read(f, "[problem\n"), "Expected ']' at the end of a table declaration (at line 1, column 9); correct it there"),
    (lambda f: keys(f, "problem", 'network = "polska"'), "must be TOML, got a mistake: Cannot overwrite a value (at line 3"),
    (lambda f: keys(f, "simulaton", ""), "execution, output, got 'simulaton': did you mean 'simulation'?"),
    (lambda f: keys(f, "weather", ""), "got 'weather': remove it"),
    (lambda f: keys(f, "Bound", ""), "got 'Bound': did you mean 'bound'?"),
    (lambda f: read(f, "problem = 3\n"), "must be a table, got 3: write [problem] on a line of its own, and its keys below it"),
    (lambda f: read(f, "[[problem]]\nnetwork = 'p'\n"), "problem must be a table, got [{'network': 'p'}]: write [problem]"),
    (lambda f: read(f, "horizon = 5\n"), "horizon must be in the table [simulation], got it outside all tables: move it there"),
    (lambda f: keys(f, "simulation", "horizn = 5"), "checkpoints, features, got 'horizn': did you mean 'horizon'?"),
    (lambda f: keys(f, "bound", "time-limit = 5"), "got 'time-limit': did you mean 'time_limit'?"),
    (lambda f: keys(f, "simulation", "workers = 2"), "got 'workers': it belongs to [execution], move it there"),
    (lambda f: keys(f, "bound", "colour = 2"), "law, method, gap, time_limit, tie_tolerance, got 'colour': remove it"),
    (lambda f: read(f, "[problem]\nnetwork = 50\n"), 'in quotes, got 50: write for instance network = "germany50"'),
    (lambda f: keys(f, "problem", "variance = 0"), "variance in [problem] must be a positive number, got 0"),
    (lambda f: keys(f, "problem", f"variance = 1{'0' * 400}"), "must be a positive number, got a very long"),
    (lambda f: keys(f, "problem", f"size = {'[' * 5000}{']' * 5000}"), ENDLESS_NUMBER),
    (lambda f: keys(f, "problem", f"size = {'9' * 5000}"), ENDLESS_NUMBER),
    (lambda f: keys(f, "problem", f"source = {ENDLESS}"), "source in [problem] must be a text in quotes, got a v"),
    (lambda f: file(f, "size = 'two'"), "size in [problem] must be a whole number of at least 0, got 'two'"),
    (lambda f: file(f, "saturate = 'row'"), "must be both, rows, columns, most or none, got 'row': did you mean 'rows'?"),
    (lambda f: file(f, "capacity = 0.5"), 'a list of these, got 0.5: write for instance capacity = [2, "drama=3"]'),
    (lambda f: read(f, "[problem]\nfile = '~no body.csv'\n"), "write './~no body.csv'"),
    (lambda f: keys(f, "simulation", "stop_at = 95"), "between 0 and 1, got 95: write for instance stop_at = 0.95"),
    (lambda f: keys(f, "simulation", "stop_within = 1"), "must be used with a confidence, got none: add stop_at = 0.95"),
    (lambda f: keys(f, "simulation", "stop_threshold = 'prove'"), "proved or customary, got 'prove': did you mean 'proved'?"),
    (lambda f: keys(f, "simulation", "features = 3"), "a list of names of columns, got 3: write for instance features = "),
    (lambda f: keys(f, "simulation", "features = []"), "a list of names of columns, got []"),
    (lambda f: keys(f, "simulation", "horizon = 'long'"), f"{ROUNDS}, got 'long': write for instance horizon = 20000"),
    (lambda f: keys(f, "simulation", "horizon = 1.5"), "got 1.5: write for instance"),
    (lambda f: keys(f, "simulation", "horizon = 0"), "got 0: write"),
    (lambda f: keys(f, "simulation", "seed = true"), "a whole number of at least 0, got true: write for instance seed = 0"),
    (lambda f: keys(f, "simulation", f"seed = {ENDLESS}"), "must be a whole number of at least 0, got a very long number"),
    (lambda f: keys(f, "simulation.seed", "a = 1"), "got a table: write"),
    (lambda f: keys(f, "simulation", "replications = 10_000_000"), "must be a whole number from 1 to 1,000,000, got 10000000"),
    (lambda f: keys(f, "simulation", "policies = 'CUCB'"), f"{POLICY_LIST} 'CUCB': write for instance policies = ["),
    (lambda f: keys(f, "simulation", "policies = []"), f"{POLICY_LIST} []"),
    (lambda f: keys(f, "simulation", "policies = [{gamma=1}]"), f"{POLICY_LIST} [{{'gamma': 1}}]"),
    (lambda f: keys(f, "simulation", "policies = [{name='OSSB', gamma=1979-05-27}]"), POLICY_LIST),
    (lambda f: keys(f, "simulation", f"policies = [{{name = 'OSSB', gamma = {ENDLESS}}}]"), POLICY_LIST),
    (lambda f: keys(f, "simulation", "policies = ['ESBC']"), f"in [simulation]: the policy must be one of {KNOWN}, got 'ESBC'"),
    (lambda f: keys(f, "simulation", "policies = [{name='OSSB', gama=1}]"), "got 'gama': did you mean 'gamma'?"),
    (lambda f: keys(f, "simulation", "policies = [{name='OSSB', gamma=true}]"), "gamma must be a number, got 'true'"),
    (lambda f: keys(f, "simulation", f"policies = [{{name='GLADE', law='{LAW}'}}]"), f"got 'GLADE:law={LAW}'"),
    (lambda f: keys(f, "simulation", "policies = ['OSSB:horizon=9']"), "got 'OSSB:horizon=9': use horizon, and simulate"),
    (lambda f: keys(f, "simulation", "policies = ['GLADE:horizon=ever']"), "in [simulation]: horizon must be an integer"),
    (lambda f: keys(f, "simulation", "policies = ['CUCB', 'cucb']"), "in [simulation]: policies must differ, got CUCB twice"),
    (lambda f: keys(f, "simulation", "rewards = 'gausian'"), "poisson, gamma, replay, got 'gausian': did you mean 'gaussian'?"),
    (lambda f: keys(f, "simulation", "rewards = 3"), 'got 3: write for instance rewards = "gaussian"'),
    (lambda f: keys(f, "simulation", "checkpoints = ['a']"), "must be a list of rounds, the last one the horizon, got ['a']"),
    (lambda f: keys(f, "bound", "method = 'cycle'"), "columns, glpg, enumeration, got 'cycle': did you mean 'cycles'?"),
    (lambda f: keys(f, "bound", "gap = 1"), "must be a number between 0 and 1, got 1: write for instance gap = 1e-4"),
    (lambda f: keys(f, "bound", "gap = nan"), "got nan: write"),
    (lambda f: keys(f, "bound", "time_limit = 0"), "must be a positive number of seconds, or inf, got 0"),
    (lambda f: keys(f, "bound", "tie_tolerance = 0.1"), "tie_tolerance in [bound] must be a number from 0 to 1e-3, got 0.1"),
    # Execution and output
    (lambda f: keys(f, "execution", "workers = 0"), 'or "auto", got 0: write for instance workers = "auto"'),
    (lambda f: keys(f, "execution", "workers = 10_001"), 'a number from 1 to 10,000, or "auto", got 10001'),
    (lambda f: keys(f, "execution", "scheduler = 'tcp://host:8786'"), SCHEDULER),
    (lambda f: keys(f, "output", "folder = true"), "must be a path in quotes, relative to the study file, got true"),
    (lambda f: keys(f, "output", "folder = ''"), "got '': write for instance folder = \"results\""),
    (lambda f: keys(f, "output", f"folder = {list(range(50))}"), "got a list: write"),
    (lambda f: keys(f, "output", "folder = '~no body/x'"), "of a home folder, and there is no such folder; write './~no body/x'"),
    (lambda f: keys(f, "output", "figure = 3"), "figure in [output] must be true, false, or the name of a file in quotes, got 3"),
    (lambda f: keys(f, "output", 'figure = "a\\u0000.png"'), "names of files have no zero byte, drop it"),
    (lambda f: keys(f, "output", "report = 'yes'"), "must be true or false, got 'yes': write for instance report = true"),
    (lambda f: keys(f, "output", f"report = '{'x' * 99}'"), "got a long text: write"),
]  # fmt: skip
CALLS = [(call, re.escape(message)) for call, message in MISTAKES]
