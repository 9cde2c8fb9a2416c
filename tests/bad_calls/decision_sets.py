"""Graphs and decision sets that do not exist, weights and budgets that they do not take, and lists that are too long."""

import networkx as nx
import numpy as np

import semibandits as sb
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.polytopes import polytope
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.inputs.graphs import read_edges
from semibandits.matroids import Linear, Oracle, Partition, Uniform

DIAMOND = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b")]
DOUBLE = [(v, v + 1) for v in range(70) for _ in range(2)]
STREETS = nx.Graph([("home", "a"), ("a", "b"), ("b", "office"), ("home", "b"), ("a", "office")])
TRIANGLE = [(0, 1), (1, 2), (0, 2)]
LISTED = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]
HUGE = r"finite sums, got weights up to 1\.7e\+308: scale them down"
CLIPPED = "at most 0 for item 1 .* got 5"
THREE_TO_ONE = [("a", 1), ("b", 1), ("c", 1), ("c", 2), ("c", 3)]
TRAPPED = [(r, c) for r in range(11) for c in range(10)] + [(11, c) for c in range(10, 12)]
GRID = [(r, c) for r in range(21) for c in range(21)][1:]  # if all pairs may be matched, there is a formula


def with_node(edges, node):
    graph = nx.Graph(edges)
    graph.add_node(node)
    return graph


def with_sides(sides, *nodes):
    graph = nx.Graph([("a", "x"), ("b", "x")])
    graph.add_nodes_from(nodes)
    nx.set_node_attributes(graph, sides, "bipartite")
    return graph


def subsets_of(*sets):
    """Independence system whose maximal sets are `sets`, not a matroid."""
    return Oracle(6, lambda indices: any(set(indices.tolist()) <= s for s in sets))


def matchings(edges, saturate="none"):
    return sb.Matchings(edges, saturate)


def streets(*arguments, **options):
    return sb.Routes(STREETS, *arguments, **options)


def roundabout(**options):
    return sb.Routes([(0, 1), (1, 0), (1, 2), (0, 2)], 0, 2, **options)


@np.errstate(over="ignore")
def best_of_huge_weights():
    return sb.Matchings([(1, 1), (1, 2), (2, 1)]).maximize([1.7e308, -1.7e308, -1.7e308])


def paths(edges, source="s", target="t"):
    return sb.Paths(edges, source, target)


def common(first, second, size=None):
    return sb.MatroidIntersection(first, second, size)


def no_matroid():
    """Its greedy scan 0, 1, 2, 3 rejects item 1 with item 0, but would accept it with items 0 and 2."""
    independent = [[], [0], [1], [2], [3], [0, 2], [0, 2, 3], [0, 1, 2]]
    return sb.MatroidBases(Oracle(4, lambda indices: indices.tolist() in independent))


def no_pair():
    return common(subsets_of({0, 1, 2}, {0, 4}), Partition([1, 2, 2, 2, 1, 1], {1: 1, 2: 2}))


def no_pair_either():
    return common(subsets_of({1, 5}, {3, 4}), Partition([2, 2, 0, 1, 1, 2], {0: 1, 1: 1, 2: 2}))


def own(maximize, d=3):
    return type("Own", (sb.DecisionSet,), {"d": d, "m": 1, "maximize": lambda self, w: np.arange(d) == maximize(np.asarray(w))})()


LONG = TooManyDecisionsError
ONE = MatroidBases(Uniform(3, 1))
NUMBERS, FINITE = [1, 2, 3], "at_least must be a finite number, got "


def budgeted(rewards=NUMBERS, budgets=NUMBERS, at_least=0, **options):
    return ONE.maximize_budgeted(rewards, budgets, at_least, **options)


CALLS = [
    *((lambda *, rows=rows: sb.EnumeratedDecisions(rows), message) for rows, message in (
        ([1, 0, 1], r"shape \(n, d\) with n, d >= 1, got \(3,\)"), (np.zeros((0, 3)), r"got \(0, 3\)"),
        (np.zeros((1, 0)), r"got \(1, 0\)"), ([[1, 0], [1]], "rows of equal length"), ([["1", "0"]], "entries of type <U1"),
        ([[1, 0], [0, 2]], "got 2 in row 1, column 1"), ([[1, np.nan]], "got nan in row 0, column 1"),
        ([[1, 0], [0, 1], [1, 1], [0, 1]], "the same decision in rows 1 and 3"),
    )),
    (lambda: sb.EnumeratedDecisions(LISTED, items="abc"), "items must have d = 4 labels, got 3"),
    (lambda: sb.EnumeratedDecisions(LISTED, items="abcb"), "'b' twice"),
    (lambda: sb.EnumeratedDecisions(LISTED, items=["a", "b", "c", []]), "hashable"),
    (lambda: sb.EnumeratedDecisions(LISTED, items={"a", "b", "c", "d"}), "must be a sequence"),
    (lambda: sb.EnumeratedDecisions(LISTED).maximize([1.7e308, 1.7e308, -1.7e308, -1.7e308]), HUGE),
    (lambda: sb.EnumeratedDecisions(LISTED).exchange_graph(np.zeros(4)), "no exchange graph", UnsupportedError),
    *((lambda *, d=d, m=m: sb.MSets(d, m), message) for d, m, message in (
        (3, 4, "m must be at most d = 3, got 4"), (3, -1, "m must be an integer >= 0, got -1"),
        (0, 0, "must have items, got none"), ("3", 1, "d must be an integer >= 0, got '3'"),
    )),
    (lambda: sb.MatroidBases(3), "matroid must be a Matroid, got int"),
    (lambda: sb.MatroidBases(Uniform(0, 0)), "must have items, got none in Uniform"),
    (lambda: sb.MatroidBases(Uniform(2, 1)).swaps([1, np.inf]), "weights must be finite, got inf"),
    (lambda: sb.MatroidBases(Uniform(2, 1)).exchange_graph([1]), r"weights must have shape \(d,\) = \(2,\)"),
    *((lambda *, find=find: find(no_matroid(), [4.0, 3.0, 2.0, 1.0]),
       r"improves by 2 when item 3 leaves for item 1: .* is not a matroid")
      for find in (sb.MatroidBases.swaps, sb.MatroidBases.exchange_graph)),
    (lambda: sb.MatroidBases(Uniform(60, 30)).enumerate(), "limit = 100,000 decisions to list, got 118,264,581,564,", LONG),
    (lambda: sb.MatroidBases(Uniform(2_000, 1_000)).enumerate(), r"got at least 10\^600: raise limit", LONG),  # 601 digits
    (lambda: sb.MatroidBases(Linear(np.random.default_rng(0).normal(size=(4, 12)))).count(limit=494), "limit = 494", LONG),
    (lambda: common("graph", Uniform(3, 1)), "m1 must be a Matroid, got str"),
    (lambda: common(Uniform(3, 1), 3), "m2 must be a Matroid, got int"),
    (lambda: common(Uniform(3, 1), Uniform(4, 1)), "same items, got 3 and 4"),
    (lambda: common(Uniform(0, 0), Uniform(0, 0)), "must have items"),
    *((lambda *, size=size: common(Uniform(3, 1), Uniform(3, 2), size), message) for size, message in (
        (2, "size = 2 items, got at most 1"), (-1, "size must be an integer >= 0"), (1.0, "size must be an integer"),
    )),
    (lambda: common(Partition("aab", 1), Partition("xyy", 1), 3), "got at most 2"),
    (lambda: common(Uniform(3, 2), Uniform(3, 3)).exchange_graph([1.7e308, -1.7e308, 1.6e308]), HUGE),
    (lambda: no_pair().maximize([1, 3, 2, 4, 5, 3]), "must be matroids, got exchanges that improve"),
    (lambda: no_pair_either().exchange_graph([5, 2, 0, 0, 3, 1]), "must be matroids, got exchanges that improve"),
    (lambda: common(Partition(np.arange(288) % 16, 2), Partition(np.arange(288) % 3, 4), 10).enumerate(50), "limit = 50", LONG),
    (lambda: sb.SpanningTrees([(1, 2), (3, 4), (5, 5)]), "connected, got 3 components, with 1 in one and 3 in another"),
    (lambda: sb.SpanningTrees(with_node([(1, 2)], "far")), "2 components, with 1 in one and 'far' in another"),
    (lambda: sb.SpanningTrees(nx.DiGraph([(1, 2)])), "graph must be undirected, got a DiGraph"),
    (lambda: sb.SpanningTrees(nx.empty_graph(1)), r"graph must have edges, got none \(1 nodes\)"),
    (lambda: paths([("a", "b"), ("b", "a"), ("s", "a"), ("a", "t")]), "got the cycle '[ab]' -> '[ba]' -> '[ab]': use Routes"),
    (lambda: paths([("s", "t"), ("t", "t")]), "got the cycle 't' -> 't': use Routes if costs are nonnegative, or drop"),
    (lambda: paths([("s", "t"), *((v, (v + 1) % 30) for v in range(30))]), r"-> \(23 more\) ->"),
    *((lambda *, source=source, target=target: paths(DIAMOND, source, target), message) for source, target, message in (
        ("s", "z", "target must be a node of the graph, got 'z': pass one of its 4 node labels"),
        (["s"], "t", r"source must be a node of the graph, got \['s'\]"),
        ("t", "s", "target must be reachable from source, got no path from 't' to 's'"),
        ("s", "s", "source and target must differ, got 's' for both"),
    )),
    (lambda: paths([]), "source must be a node of the graph, got 's': pass one of its 0"),
    (lambda: paths(nx.Graph([("s", "t")])), "graph must be directed, got a Graph"),
    (lambda: paths(DIAMOND).maximize([1, 2, 3, 4]), r"shape \(d,\) = \(5,\), got \(4,\)"),
    (lambda: paths(DIAMOND).exchange_graph([1, np.nan, 3, 4, 5]), "finite, got nan at index 1"),
    (lambda: paths(DIAMOND).walk([1, 1, 0, 0, 0]), "decision must be a path from 's' to 't'"),
    (lambda: paths(DOUBLE, 0, 70).enumerate(), r"limit = 100,000 decisions to list, got at least 10\^21", LONG),
    (lambda: paths(DOUBLE[:8], 0, 4).enumerate(limit=15), "limit = 15 decisions to list, got 16", LONG),
    (lambda: streets("home", "home"), "source and target must differ"),
    (lambda: streets("home", "moon"), "target must be a node"),
    *((lambda *, least=least: streets("home", "office", least), message) for least, message in (
        (-1.0, "least must be >= 0"), ([1.0, 2.0], "least must be a number or have shape"), (np.nan, "least must be finite"),
    )),
    (lambda: streets("home", "office", directed=True), "directed must be left out"),
    (lambda: streets("home", "office").walk(np.ones(5)), "simple path from 'home' to 'office'"),
    *((lambda *, graph=graph, ends=ends: sb.Routes(graph, *ends), message) for graph, ends, message in (
        (nx.Graph([(0, 1), (2, 3)]), (0, 3), "target must be reachable"),
        (nx.DiGraph([(1, 0)]), (0, 1), "target must be reachable"), ([(0, 0)], (0, 1), "target must be a node"),
        (with_node(TRIANGLE, "island"), (0, "island"), "no path from 0 to 'island'"),
        ([*TRIANGLE, (8, 9), (9, 8)], (8, 0), "no path from 8 to 0"),
    )),
    (lambda: sb.Routes(TRIANGLE, 0, 2, least=1e150), r"least must be at most 1e\+100, got 1e\+150"),
    *((lambda *, use=use: use(sb.Routes(TRIANGLE, 0, 2), [-3e150, -1e150, -1e150]), r"at least -1e\+100, got -3e\+150")
      for use in (sb.Routes.maximize, sb.Routes.costs_of, lambda x, w: next(x.ranked(w)), sb.smallest_gap)),
    (lambda: sb.graves_lai(roundabout(), [-1.0, 5.0, 5.0, -0.5]), CLIPPED),
    (lambda: sb.simulate(roundabout(), sb.GaussianRewards([-1.0, 5.0, 5.0, -0.5]), sb.CUCB(), 10, 1), CLIPPED),
    (lambda: sb.graves_lai(roundabout(least=[0, 0, 0.5, 0]), [-1, -1, -0.25, -1]), r"at most -0\.5 for item 2 .* got -0\.25"),
    (lambda: sb.Routes(nx.grid_2d_graph(8, 8), (0, 0), (7, 7)).enumerate(1_000), "raise the limit", LONG),
    (lambda: sb.Routes(nx.grid_2d_graph(8, 8), (0, 0), (7, 7)).count(), "limited to 1000000 decisions", LONG),
    (lambda: sb.Matchings([(1, 1)], "row"), "saturate must be one of 'both', 'rows', 'columns', 'most', 'none', got 'row'"),
    (lambda: sb.Matchings([(1, 1)], None), "got None: 'none' allows any matching"),
    (lambda: matchings(nx.empty_graph(3)), "edges must have at least one edge"),
    (lambda: matchings([(1, 1), (2, 1)], "both"), "as many rows as columns, got 2 rows and 1 columns"),
    (lambda: matchings(THREE_TO_ONE, "both"), r"all 3 rows .* with saturate='both', got 2 rows \('a', 'b'\) with only 1 column"),
    (lambda: matchings([(1, "a"), (1, "b"), (2, "c"), (3, "c")], "columns"), r"2 columns \('a', 'b'\) with only 1 row \(1\)"),
    (lambda: matchings(TRAPPED, "both"), r"11 rows \(0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\) with only 10 columns"),
    (lambda: matchings(nx.DiGraph([(1, 2)])), "graph must be undirected, got a DiGraph"),
    (lambda: matchings(nx.cycle_graph(5)), "graph must be bipartite, got an edge between"),
    (lambda: matchings(nx.Graph([(1, 1), (1, 2)])), "bipartite, got an edge between 1 and 1 on the same side"),
    (lambda: matchings(with_sides({"a": 0, "x": 1})), r"must be 0 \(row\) or 1 \(column\), got None at node 'b'"),
    (lambda: matchings(with_sides({"a": 0, "x": 1, "b": 1})), "got an edge between 'x' and 'b' on the same side"),
    (lambda: matchings(with_sides({}, "lonely"), "rows"), r"1 row \('lonely'\) with only 0 columns|2 rows \('a', 'b'\)"),
    (lambda: matchings(with_sides({"a": 0, "b": 0, "x": 1, "lonely": 1}, "lonely"), "columns"), "only 0 rows to share"),
    (lambda: best_of_huge_weights(), HUGE),
    (lambda: matchings(GRID, "both").enumerate(100), "limit = 100 decisions to list", LONG),
    (lambda: matchings(GRID, "both").count(1000), "limit = 1,000 decisions to list", LONG),
    (lambda: polytope(common(Linear(np.eye(4)), Partition([0, 0, 1, 1], 1))), "which only needs maximize", UnsupportedError),
    (lambda: sb.smallest_gap(sb.MSets(3, 1), [1.0]), "theta must have shape"),
    *((lambda *, name=name, value=value: sb.smallest_gap(sb.MSets(3, 1), [1, 2, 3], **{name: value}), message)
      for name, value, message in (
          ("tie_tolerance", -1.0, "tie_tolerance must be >= 0"),
          ("tie_tolerance", np.nan, "tie_tolerance must be a finite number"),
          ("most_ties", 0, "most_ties must be an integer >= 1"), ("most_ties", 2.5, "most_ties must be an integer >= 1"),
      )),
    (lambda: sb.smallest_gap(sb.MSets(30, 10), np.append(np.zeros(29), -1.0), most_ties=50),
     r"at most most_ties = 50 .* raise most_ties", LONG),
    (lambda: sb.smallest_gap(own(lambda w: np.argmin(w)), [1.0, 2.0, 3.0]), "maximize must return a decision of largest weight"),
    (lambda: read_edges(nx.Graph([(1, 2)]), directed=True), "graph must be directed, got a Graph"),
    (lambda: read_edges(nx.MultiDiGraph([(1, 2)]), directed=False), "graph must be undirected, got a MultiDiGraph"),
    (lambda: read_edges([(1, 2), (1, 2, 3)], directed=True), r"pair \(u, v\), got \(1, 2, 3\) at position 1"),
    *((lambda *, edges=edges: read_edges(edges, directed=False), message) for edges, message in (
        (["ab"], r"pair \(u, v\), got 'ab'"), (np.array([1, 2]), r"pair \(u, v\), got 1 at position 0"),
        ([(1, [2])], r"hashable, got \[2\] in the edge at position 0"),
        ([(1, float("nan"))], "got NaN in the edge at position 0"),
        ({(1, 2)}, "sequence of pairs, got set"), ("ab", "sequence of pairs, got str"),
    )),
    (lambda: budgeted([1, 2]), "rewards must have shape"),
    (lambda: budgeted(budgets=[1, np.nan, 3]), "budgets must be finite, got nan at index 1"),
    (lambda: ONE.maximize_index([1e200, 0, 0], NUMBERS), r"rewards must be at most 1e\+100 in size"),
    *((lambda *, least=least, got=got: budgeted(at_least=least), f"{FINITE}{got}")
      for least, got in ((np.inf, "inf"), ("much", "'much'"), (10**400, "1000"), ("1", "'1'"))),
    *((lambda *, least=least: ONE.budget_front(NUMBERS, NUMBERS).best(least), f"{FINITE}{least}") for least in (None, np.nan)),
    (lambda: budgeted(ratio=0), r"ratio must lie in \(0, 1\], got 0"),
    (lambda: ONE.maximize_index(NUMBERS, NUMBERS, ratio=1.5), r"ratio must lie in \(0, 1\], got 1.5"),
    (lambda: budgeted([-1, 2, 3], ratio=0.5), "rewards must be >= 0 for ratio = 0.5, got -1"),
    (lambda: ONE.maximize_index(NUMBERS, [1, -2, 3]), "bonuses must be >= 0, got -2"),
    (lambda: ONE.maximize_index(np.array([1, 2, 3j]), NUMBERS), "rewards must hold real numbers, got complex128"),
    (lambda: ONE.maximize_index([10**400, 2, 3], NUMBERS), "rewards must be an array of numbers, got list"),
    *((lambda *, most=most: ONE.search_index(NUMBERS, NUMBERS, most=most), "most must be an integer >= 1")
      for most in (0, 1.5, True, "many")),
]  # fmt: skip
