"""Mutation testing: do tests fail if one operator, constant, condition or statement of the library is changed?

    python verification/mutants.py certificates solver [--sample 30] [--seed 1] [--log mutants.jsonl]
    python verification/mutants.py --again mutants.jsonl
    python verification/mutants.py --still mutants.jsonl

Each mutant is one change of one source file, made in a copy of ``src``. Tests run until one fails: those that import the module,
those of its group, and the table of bad calls, in a process with limited processor time. A mutant is killed if a test fails,
timed out if the tests do not end, and survives if all pass. The log has one JSON object per mutant. ``--again``
repeats those not killed, for instance after tests were added; ``--still`` repeats those killed, for instance after tests were
removed. Kernels that do not depend on the change are not compiled again.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, TESTS = ROOT / "src" / "semibandits", ROOT / "tests"
SERVER = "../semibandits_server"
GROUPS = {
    "certificates": (
        "regret_bound/certificates: *",
        "regret_bound/cycles: bounds price_search",
        "kernels/solver: verification price_proof",
        "kernels/graphs: potentials ratios",
        "tests: regret_bound/test_recheck regret_bound/test_certificate kernels/test_price_proof_kernels",
    ),
    "solver": (
        "regret_bound: plan precision problem raises rates solve",
        "regret_bound/cycles: *",
        "regret_bound/cuts: *",
        "kernels/graphs: cycles cycle_decomposition",
        "kernels/solver: separation newton",
        "tests: regret_bound/test_columns regret_bound/test_route_bounds regret_bound/test_recheck regret_bound/test_masters",
        "tests: regret_bound/test_presolve regret_bound/test_graves_lai",
    ),
    "glpg": (
        "regret_bound/glpg: *",
        "kernels/solver: orthant projection",
        "tests: regret_bound/test_glpg regret_bound/test_projection regret_bound/test_discretise decisions/test_polytopes",
    ),
    "identification": (
        "identification: *",
        "decisions: polytopes",
        "tests: identification/test_identification_time identification/test_evidence decisions/test_polytopes",
    ),
    "features": (
        "features: *",
        "policies: sharing",
        "tests: features/test_model features/test_design features/test_learning_with_features",
    ),
    "exchange": (
        "kernels/graphs: exchange",
        "kernels/matroids: intersection",
        "tests: decisions/test_matroid_intersections decisions/test_matchings decisions/test_lists",
    ),
    "budgets": (
        "kernels/search: *",
        "kernels/graphs: dag",
        "optimization: *",
        "tests: optimization/test_budgeted_and_index kernels/test_index_search decisions/test_small_sets decisions/test_paths",
    ),
    "linear": (
        "kernels/graphs: assignment dijkstra ranked_paths listed_matchings forests",
        "kernels/oracles: *",
        "tests: kernels/oracles/test_* decisions/test_routes decisions/test_paths decisions/test_matchings",
    ),
    "decisions": (
        "decisions: *",
        "tests: decisions/test_counting decisions/test_counting_within decisions/test_overrides decisions/test_small_sets",
        "tests: test_bad_calls",
    ),
    "matroids": (
        "matroids: *",
        "kernels/matroids: uniform transversal laminar elimination",
        "tests: matroids/test_* decisions/test_matroid_bases test_bad_calls",
    ),
    "learner": (
        "learning: arguments drift from_logs history intervals learner options outcomes progress reading",
        "learning: replacement restoration round storage",
        "tests: learning/test_learner learning/test_learner_storage learning/test_available_items learning/test_changing_sets",
        "tests: learning/test_drift learning/test_learner_machine learning/test_partial_outcomes",
    ),
    "storage": (
        f"{SERVER}/database: *",
        "tests: learning/test_durable learning/test_learner_storage learning/test_repeated_keys learning/test_lost_transactions",
        "tests: learning/test_durable_machine learning/test_grouped_calls",
    ),
}
"""Modules of the library and tests of each group."""
FOLDERS = ("regret_bound", "identification", "kernels", "decisions", "optimization", "matroids", "learning")
SLOW = ("bernoulli", "limits", "medium_instances", "price_proof", "warm_start", "durable_failures", "drift")
"""Tests of these folders that import a module run before those of its group, without slow ones, ``test_NAME.py``."""

PAIRS = "< <=,> >=,== !=,+ -,* /,& |,<< >>,and or,min max,minimum maximum,argmin argmax,any all,floor ceil"
SWAPS = dict(pair.split() for pair in PAIRS.split(","))
SWAPS = SWAPS | {new: old for old, new in SWAPS.items()} | {"in": "not in", "not in": "in", "is": "is not", "is not": "is"}
SWAPS |= {"//": "*", "%": "*", "**": "*", "@": "*", "^": "&"}
SYMBOLS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change of whole lines; `line` is the number of the first one."""

    group: str
    file: str
    line: int
    old: str
    new: str

    def apply(self, folder: Path) -> bool:
        """Change the file in a copy of the sources, where the old lines are nearest to the line; False if they are gone."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        places = [match.start() for match in re.finditer("^" + re.escape(self.old), text, re.MULTILINE)]
        if not places:
            return False
        place = min(places, key=lambda at: abs(text.count("\n", 0, at) + 1 - self.line))
        path.unlink()  # a hard link
        path.write_text(text[:place] + self.new + text[place + len(self.old) :], encoding="utf-8")
        return True

    @property
    def diff(self) -> str:
        """The change as lines with - and +."""
        lines = [f"-{line}" for line in self.old.splitlines()] + [f"+{line}" for line in self.new.splitlines()]
        return "\n".join([f"{self.file}:{self.line}", *lines])


class Changes:
    """All changes of one file: at each place, alternatives ``(start, end, text)``."""

    def __init__(self, text: str) -> None:
        self.text, self.found = text, []
        self._lines = text.splitlines(keepends=True)
        self._starts = [0, *accumulate(len(line) for line in self._lines)]
        self._walk(ast.parse(text), "", Counter())

    def _position(self, line: int, byte: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:byte].decode())

    def _ends(self, node: Any) -> tuple[int, int]:
        return self._position(node.lineno, node.col_offset), self._position(node.end_lineno, node.end_col_offset)

    def _add(self, start: int, end: int, *texts: str) -> None:
        self.found.append([(start, end, text) for text in texts])

    def _wrap(self, node: ast.AST, before: str) -> None:
        start, end = self._ends(node)
        self._add(start, end, f"{before}({self.text[start:end]})")

    def _swap(self, left: ast.AST, operator: ast.AST, right: ast.AST) -> None:
        start, end, symbol = self._ends(left)[1], self._ends(right)[0], SYMBOLS[type(operator)]
        self._add(start, end, self.text[start:end].replace(symbol, SWAPS[symbol], 1))

    def _walk(self, node: Any, returns: str, assigned: Counter[str]) -> None:
        """Collect the changes of a node in a function with this annotation, which sets names as often as `assigned`."""
        parts = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.FunctionDef):
            returns = ast.unparse(node.returns) if node.returns else "None"
            names = [name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
            assigned = Counter([*names, *(argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg))])
            parts = [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.value] if node.value else []
        elif isinstance(node, ast.JoinedStr | ast.Raise):
            parts = []  # texts
        if returns and _removable(node, assigned):
            self._add(*self._ends(node), "pass")
        self._change(node, returns)
        for part in parts:
            self._walk(part, returns, assigned)

    def _change(self, node: Any, returns: str) -> None:
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                self._swap(left, operator, right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                self._swap(left, node.op, right)
        elif isinstance(node, ast.BinOp):
            self._swap(node.left, node.op, node.right)
        elif isinstance(node, ast.AugAssign):
            self._swap(node.target, node.op, node.value)
        elif isinstance(node, ast.UnaryOp):
            self._add(self._ends(node)[0], self._ends(node.operand)[0], "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            self._add(*self._ends(node), repr(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            zero = type(node.value)(not node.value)
            self._add(*self._ends(node), *{repr(node.value + 1), repr(node.value - 1), repr(zero)} - {"-1", "-1.0"})
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SWAPS:
                self._add(self._ends(node.func)[1] - len(name), self._ends(node.func)[1], SWAPS[name])
        elif isinstance(node, ast.If | ast.While | ast.IfExp) and ast.unparse(node.test) not in ("True", "TYPE_CHECKING"):
            self._wrap(node.test, "not ")
        elif isinstance(node, ast.comprehension):
            for condition in node.ifs:
                self._wrap(condition, "not ")
        elif isinstance(node, ast.Return) and node.value and returns in ("bool", "float", "int"):
            self._wrap(node.value, "not " if returns == "bool" else "-")


def _removable(node: ast.AST, assigned: Counter[str]) -> bool:
    """Whether a statement may be removed; names that are set once would only be missing."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant | ast.Yield)
    if isinstance(node, ast.Assign):
        names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        return isinstance(node.targets[0], ast.Subscript | ast.Attribute) or all(assigned[name] > 1 for name in names)
    return isinstance(node, ast.AugAssign | ast.Break | ast.Continue | ast.Raise)


def listed(group: str, *, tests: bool) -> list[Path]:
    """Files of the library of a group, or of its tests."""
    found = []
    for folder, names in (line.split(": ") for line in GROUPS[group]):
        if (folder == "tests") == tests:
            home = TESTS if tests else (LIBRARY / folder).resolve()
            for name in names.split():
                files = sorted(home.glob(f"{name}.py"))
                if not files:
                    raise SystemExit(f"GROUPS of {Path(__file__).name} name {folder}/{name}.py, and there is no such file")
                found += files
    return found


def drawn(group: str, sample: int, seed: int) -> list[Mutant]:
    """Random sample of the mutants of a group: first a place, then one of its changes."""
    texts = {path: path.read_text(encoding="utf-8") for path in listed(group, tests=False)}
    places = [(path, changes) for path, text in texts.items() for changes in Changes(text).found]
    generator = random.Random(f"{seed} {group}")
    generator.shuffle(places)
    found = []
    for path, changes in places[:sample]:
        text, (start, end, new) = texts[path], generator.choice(changes)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        changed = text[first:start] + new + text[end:last]
        found.append(Mutant(group, str(path.relative_to(ROOT)), text.count("\n", 0, first) + 1, text[first:last], changed))
    return found


def tests_of(mutant: Mutant) -> list[str]:
    """Tests that import the module of a mutant, those of its group, and the table of bad calls."""
    parent, _, name = mutant.file.removeprefix("src/").removesuffix(".py").replace("/", ".").rpartition(".")
    imported = re.compile(rf"from {re.escape(parent)}(\.{name} import|\s+import [^\n]*\b{name}\b)")
    known = [file for folder in FOLDERS for file in sorted((TESTS / folder).rglob("test_*.py")) if file.stem[5:] not in SLOW]
    near = [file for file in known if imported.search(file.read_text(encoding="utf-8"))]
    return [str(file) for file in dict.fromkeys([*near, *listed(mutant.group, tests=True), TESTS / "test_bad_calls.py"])]


class Order:
    """Plugin of pytest: tests without generated examples first, as most are faster, and few examples."""

    def __init__(self, examples: int) -> None:
        self._examples = examples

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Order the tests."""
        from hypothesis import settings

        for item in items:
            if used := getattr(item.obj, "_hypothesis_internal_use_settings", None):
                fewer = settings(used, max_examples=min(used.max_examples, self._examples))
                getattr(item.obj, "__func__", item.obj)._hypothesis_internal_use_settings = fewer
        items.sort(key=lambda item: hasattr(item.obj, "hypothesis"))


def preload() -> None:
    """Import what every run needs, once: each run is a fork of this process. Failing examples need not be simplified."""
    import hypothesis

    hypothesis.settings.register_profile("first", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])
    hypothesis.settings.load_profile("first")
    import networkx  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.stats  # noqa: F401


def run(tests: list[str], sources: Path, seconds: float, examples: int) -> tuple[str, str, float]:
    """Outcome of the tests with the sources of a folder, the first test that failed, and seconds of processor time."""
    output = sources.parent / "output.txt"
    child = os.fork()
    if child == 0:
        _run_tests(tests, sources, seconds, examples, output)
    begin, done, status = time.monotonic(), 0, 0
    while not done:
        time.sleep(0.05)
        done, status, used = os.wait4(child, os.WNOHANG)
        if time.monotonic() - begin > 20.0 * seconds:  # it waits for something
            os.killpg(child, signal.SIGKILL)
    failed = re.search(r"^(?:FAILED|ERROR) (.*)", output.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    outcome = "killed"
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        outcome = "survived"
    elif os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        outcome = "timed out"
    return outcome, failed[1] if failed else "", used.ru_utime + used.ru_stime


def _run_tests(tests: list[str], sources: Path, seconds: float, examples: int, output: Path) -> None:
    """Run the tests in this process, and end it."""
    code = 3
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        file = os.open(output, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.chdir(ROOT)
        sys.path.insert(0, str(sources))
        os.environ |= {"PYTHONPATH": str(sources), "HYPOTHESIS_STORAGE_DIRECTORY": str(sources.parent / "hypothesis")}
        import pytest

        words = ["-x", "-rfE", "--examples=1", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short"]
        words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # modules are imported already
        code = int(pytest.main([*words, *tests], [Order(examples)]))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> int:
    """Run mutants and print their outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}")
    parser.add_argument("--sample", type=int, default=30, help="mutants a group")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones of the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30.0, help="processor time for the tests of one mutant")
    parser.add_argument("--examples", type=int, default=100, help="largest number of generated examples a test")
    parser.add_argument("--log", type=Path, default=Path("mutants.jsonl"), help="file to append to")
    parser.add_argument("--again", type=Path, metavar="LOG", help="run the mutants of a log again that were not killed")
    parser.add_argument("--still", type=Path, metavar="LOG", help="run the mutants of a log again that were killed")
    parser.add_argument("--tests", nargs="*", default=[], help="tests to run instead of those of the group")
    options = parser.parse_args()
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"unknown groups {unknown}: choose from {', '.join(GROUPS)}")
    chosen = [mutant for group in options.groups for mutant in drawn(group, options.sample, options.seed)[options.skip :]]
    for log, outcomes in ((options.again, ("survived", "timed out")), (options.still, ("killed",))):
        for line in log.read_text(encoding="utf-8").splitlines() if log else ():
            row = json.loads(line)
            if row["outcome"] in outcomes:
                chosen.append(Mutant(**{name: row[name] for name in Mutant.__annotations__}))
    preload()
    counts: dict[str, Counter[str]] = {}
    for mutant in chosen:
        with tempfile.TemporaryDirectory(prefix="mutant-") as name:
            sources = Path(name) / "src"
            shutil.copytree(ROOT / "src", sources, copy_function=os.link)
            outcome, test, seconds = "gone", "", 0.0
            if mutant.apply(sources.parent):
                tests = options.tests or tests_of(mutant)
                outcome, test, seconds = run(tests, sources, options.seconds, options.examples)
        counts.setdefault(mutant.group, Counter())[outcome] += 1
        print(f"{mutant.diff}\n  {outcome} {test} ({seconds:.0f} s)", flush=True)
        with options.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(mutant) | {"outcome": outcome, "test": test, "seconds": round(seconds, 1)}) + "\n")
    for group, count in counts.items():
        print(group, dict(count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
