"""Files as programs export them: what each gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from semibandits import Matchings, MatroidBases, MSets, Paths, Routes, SpanningTrees
from semibandits.matroids import Partition


class Right(NamedTuple):
    """A file that gives an instance."""

    content: str | bytes | Callable[[Path], None]
    options: dict[str, Any]
    decision_set: Any
    theta: list[float]
    in_costs: bool = False
    note: str = ""
    unit: str = ""
    variance: list[float] | None = None
    name: str = "table.csv"
    labels: tuple[str, ...] = ()


READ = "Read from the table: "
ENDS, NUMBERED = {"source": "a", "target": "d"}, {"source": "1", "target": "4"}
ONE = {"size": 1}
EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")]
PATHS = Paths(EDGES, "a", "d")
ROADS = Paths([("1", "2"), ("2", "4"), ("1", "3"), ("3", "4")], "1", "4")
MINUTES = [-30, -20, -15, -40]
TWO, THREE = MSets(2, 1), MSets(3, 1)
GRID = [(row, column) for row in ("Ann", "Bob") for column in ("north", "south")]
SQUARE = Matchings(GRID)
IN_MATRIX = "Each cell is a pair of a row and a column"
AS_COSTS = {"columns": ("costs=cells",)}
SIOUX = (
    "<NUMBER OF ZONES> 4\n<NUMBER OF NODES> 4\n<FIRST THRU NODE> 1\n<NUMBER OF LINKS> 4\n<END OF METADATA>\n\n\n"
    "~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;\n"
    "\t1\t2\t25900.20064\t6\t30\t0.15\t4\t0\t0\t1\t;\n\t2\t4\t23403.47319\t4\t20\t0.15\t4\t0\t0\t1\t;\n"
    "\t1\t3\t25900.20064\t6\t15\t0.15\t4\t0\t0\t1\t;\n\t3\t4\t4958.180928\t5\t40\t0.15\t4\t0\t0\t1\t;\n"
)
DIMACS = "c 9th DIMACS Implementation Challenge: Shortest Paths\nc\np sp 4 4\nc graph contains 4 nodes and 4 arcs\nc\n"
ARCS = "a 1 2 30\na 2 4 20\na 1 3 15\na 3 4 40\n"


def links(header, separator=",", more="", ends=""):
    """Four links below a header; `more` and `ends` are cells behind and before them."""
    rows = zip(EDGES, (30, 20, 15, 40), strict=True)
    return f"{header}\n" + "".join(f"{ends}{separator.join((*edge, str(time)))}{more}\n" for edge, time in rows)


EXPORTED = {
    # Ends of links as programs name them
    "src and dst": Right(links("src,dst,latency_ms"), ENDS, PATHS, MINUTES, True, f"{READ}src as tail, dst as head", "ms"),
    "src and dest": Right(links("src,dest,cost"), ENDS, PATHS, MINUTES, True, f"{READ}src as tail, dest as head."),
    "orig and dest": Right(links("orig,dest,hours"), ENDS, PATHS, MINUTES, True, "orig as tail, dest as head", "h"),
    "GMNS links": Right(
        "link_id,name,from_node_id,to_node_id,facility_type,length,free_speed,lanes,dir_flag\n"
        "1,Main St,1,2,arterial,30,50,2,1\n2,Main St,2,4,arterial,20,50,2,1\n3,,1,3,local,15,30,1,1\n4,,3,4,local,40,30,1,1\n",
        NUMBERED, ROADS, MINUTES, True, "from_node_id as tail, to_node_id as head, length as costs",
    ),
    "init and term nodes": Right(links("init_node,term_node,minutes"), ENDS, PATHS, MINUTES, True, "init_node as tail", "min"),
    "the same with the head first": Right(
        "term_node,init_node,minutes\nb,a,30\nd,b,20\nc,a,15\nd,c,40\n", ENDS, PATHS, MINUTES, True,
        "init_node as tail, term_node as head", "min",
    ),
    "nodes a and b": Right(links("node_a,node_b,km"), ENDS, PATHS, MINUTES, True, "node_a as tail, node_b as head", "km"),
    "a and b nodes of AequilibraE": Right(
        "link_id,a_node,b_node,direction,distance,modes\n1,a,b,1,30,c\n2,b,d,1,20,c\n3,a,c,1,15,c\n4,c,d,1,40,c\n",
        ENDS, PATHS, MINUTES, True, "a_node as tail, b_node as head, distance as costs",
    ),
    "start and end nodes": Right(links("StartNode,EndNode,Minutes"), ENDS, PATHS, MINUTES, True, "StartNode as tail", "min"),
    "osmnx with long names": Right(
        "u_of_edge,v_of_edge,key,osmid,length\na,b,0,25,30\nb,d,0,26,20\na,c,0,27,15\nc,d,0,28,40\n",
        ENDS, PATHS, MINUTES, True, "u_of_edge as tail, v_of_edge as head",
    ),
    "osmnx edges": Right(
        "u,v,key,osmid,oneway,lanes,name,highway,length,geometry\n"
        'a,b,0,25,True,2,Main,primary,30,"LINESTRING (1 2, 3 4)"\nb,d,0,26,True,,,service,20,"LINESTRING (1 2, 3 4)"\n'
        'a,c,0,27,True,,,service,15,\nc,d,0,28,True,,"[\'A\', \'B\']",service,40,\n',
        ENDS, PATHS, MINUTES, True, "u as tail, v as head, length as costs",
    ),
    "stops of GTFS": Right(
        links("from_stop_id,to_stop_id,min_transfer_time_s"), ENDS | {"columns": ("costs=min_transfer_time_s",)}, PATHS,
        MINUTES, True, "from_stop_id as tail, to_stop_id as head", "s",
    ),
    "stations": Right(links("Start Station;End Station;Duration (min)", ";"), ENDS, PATHS, MINUTES, True, "as tail", "min"),
    "German ends": Right(links("von;nach;Minuten", ";"), ENDS, PATHS, MINUTES, True, "von as tail, nach as head", "min"),
    "Gephi": Right(
        "Source;Target;Type;Id;Label;Weight\na;b;Directed;0;;30\nb;d;Directed;1;;20\na;c;Directed;2;;15\nc;d;Directed;3;;40\n",
        ENDS | {"columns": ("costs=Weight",)}, PATHS, MINUTES, True, "Source as tail, Target as head",
    ),
    "ids of two ends": Right(
        links("id_1,id_2,cost"), {"family": "trees"}, SpanningTrees(EDGES), MINUTES, True, "id_1 as tail, id_2 as head",
    ),
    # Formats of networks
    "TNTP by time": Right(
        SIOUX, NUMBERED | {"columns": ("costs=free_flow_time",)}, ROADS, MINUTES, True, "init_node as tail, term_node as head",
        name="SiouxFalls_net.tntp",
    ),
    "TNTP by length": Right(
        SIOUX, NUMBERED | {"columns": ("costs=length",)}, ROADS, [-6, -4, -6, -5], True, "Ignored columns: capacity, free_flow",
        name="SiouxFalls_net.tntp",
    ),
    "TNTP with names of words": Right(
        SIOUX.replace("init_node\tterm_node", "Init node \tTerm node ").replace("\t1\t;\n", "\t1;\n").replace("\tlength", "\tx"),
        NUMBERED | {"columns": ("costs=free_flow_time",)}, ROADS, MINUTES, True, "Init node as tail", name="net.txt",
    ),
    "DIMACS": Right(
        DIMACS + ARCS, NUMBERED, ROADS, MINUTES, True, "lines of a DIMACS file as tail, head and length", name="USA-road-d.gr"
    ),
    "DIMACS both ways": Right(
        DIMACS.replace("4 4", "4 5") + ARCS + "a 4 3 40\n", NUMBERED,
        Routes([("1", "2"), ("2", "4"), ("1", "3"), ("3", "4"), ("4", "3")], "1", "4"), [*MINUTES, -40], True, name="road.txt",
    ),
    "blanks": Right(links("tail head cost", " "), ENDS, PATHS, MINUTES, True, name="roads.txt"),
    "blanks of many widths": Right(
        "  from   to  minutes\n     a    b     30\n     b    d     20\n     a    c     15\n     c    d     40\n",
        ENDS, PATHS, MINUTES, True, "from as tail", "min", name="roads.txt",
    ),
    "a header behind a sign": Right(
        "# from to minutes\n" + links("", " ").lstrip(), ENDS, PATHS, MINUTES, True, "from as tail", "min", name="roads.txt"
    ),
    "SNAP": Right(
        "# Directed graph: roads.txt\n# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\tminutes\n" + links("", "\t").lstrip(),
        ENDS, PATHS, MINUTES, True, "FromNodeId as tail, ToNodeId as head", "min", name="roads.txt",
    ),
    "remarks above the header": Right(
        "% exported by the planner, 3 May 2024\n% costs in minutes\n" + links("from,to,minutes"), ENDS, PATHS, MINUTES, True,
        "Lines 1 to 2 above the header were skipped.", "min",
    ),
    # Rows and columns
    "couriers and zones": Right(
        "courier;zone;minutes\nAnn;north;1,5\nAnn;south;2\nBob;north;3\nBob;south;1\n", {}, SQUARE, [-1.5, -2, -3, -1], True,
        f"{READ}courier as row, zone as column, minutes as costs.", "min",
    ),
    "drivers and districts": Right(
        "Driver,District,Avg Minutes\nAnn,north,1\nAnn,south,2\nBob,north,3\nBob,south,1\n", {}, SQUARE, [-1, -2, -3, -1], True,
        "Driver as row, District as column", "min",
    ),
    "nurses and wards": Right(
        "nurse,ward,score\nAnn,north,1\nAnn,south,2\nBob,north,3\nBob,south,1\n", {}, SQUARE, [1, 2, 3, 1], False,
        "nurse as row, ward as column, score as rewards",
    ),
    "orders that have a zone": Right(
        "courier,order,zone,minutes\nAnn,north,z,1\nAnn,south,z,2\nBob,north,z,3\nBob,south,z,1\n", {}, SQUARE, [-1, -2, -3, -1],
        True, "order as column, minutes as costs. Ignored columns: zone.", "min",
    ),
    "German drivers": Right(
        "Fahrer;Bezirk;Minuten (Ø)\nAnn;north;1,5\nAnn;south;2\nBob;north;3\nBob;south;1\n", {}, SQUARE, [-1.5, -2, -3, -1], True,
        "Fahrer as row, Bezirk as column", "min",
    ),
    # Matrices
    "a matrix": Right(",north,south\nAnn,1,2\nBob,3,1\n", AS_COSTS, SQUARE, [-1, -2, -3, -1], True, IN_MATRIX),
    "a matrix in German": Right(
        "Kurier;north;south\nAnn;1,5;2\nBob;3;1,25\n", AS_COSTS, SQUARE, [-1.5, -2, -3, -1.25], True, IN_MATRIX
    ),
    "a matrix of scores": Right(
        "student,north,south\nAnn,1,2\nBob,3,1\n", {"columns": ("theta=cells",)}, SQUARE, [1, 2, 3, 1], False, IN_MATRIX
    ),
    "a matrix to be minimised": Right(",north,south\nAnn,1,2\nBob,3,1\n", {"minimize": True}, SQUARE, [-1, -2, -3, -1], True),
    "a matrix with its measure in the corner": Right(
        "minutes;north;south\nAnn;1;2\nBob;3;1\n", {}, SQUARE, [-1, -2, -3, -1], True, "minutes as costs", "min"
    ),
    "a matrix of R without a corner": Right(
        "north south\nAnn 1 2\nBob 3 1\n", AS_COSTS, SQUARE, [-1, -2, -3, -1], True, IN_MATRIX, name="times.txt"
    ),
    "a matrix without a corner, with commas": Right("north,south\nAnn,1,2\nBob,3,1\n", AS_COSTS, SQUARE, [-1, -2, -3, -1], True),
    "a matrix below titles": Right(
        "Delivery times;;\n;;\n;north;south\nAnn;1;2\nBob;3;1\n", AS_COSTS, SQUARE, [-1, -2, -3, -1], True,
        "Line 1 above the header was skipped.",
    ),
    "a matrix with empty cells": Right(
        ";north;south;west\nAnn;1;2;\nBob;;1;4\n", AS_COSTS | {"saturate": "rows"},
        Matchings([("Ann", "north"), ("Ann", "south"), ("Bob", "south"), ("Bob", "west")], saturate="rows"),
        [-1, -2, -1, -4], True, "2 empty cells are each a pair that is not possible; write ? for a number that is not known.",
    ),
    **{
        f"a matrix with {mark} for pairs that are not possible": Right(
            f";north;south;west\nAnn;1,5;2;{mark}\nBob;{mark};1;4\n", AS_COSTS | {"saturate": "rows"},
            Matchings([("Ann", "north"), ("Ann", "south"), ("Bob", "south"), ("Bob", "west")], saturate="rows"),
            [-1.5, -2, -1, -4], True, "2 cells are pairs marked as not possible.",
        )
        for mark in ("x", "X", "-", "\u2013", "inf", "\u221e", "M", "forbidden")
    },
    "a pandas matrix of numbers": Right(
        ",0,1\n0,1.0,2.0\n1,3.0,1.0\n", AS_COSTS, Matchings([("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]),
        [-1, -2, -3, -1], True, IN_MATRIX,
    ),
    "OR-Library": Right(
        " 2\n 1 2\n 3\n 1\n", {}, Matchings([("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]), [-1, -2, -3, -1], True,
        "Read as an assignment problem of OR-Library.", name="assign2.txt",
    ),
    "OR-Library of three": Right(
        " 3\n 12 2 5\n 3 1\n 4\n 5 9 1\n", {},
        Matchings([(r, c) for r in ("1", "2", "3") for c in ("1", "2", "3")]), [-12, -2, -5, -3, -1, -4, -5, -9, -1], True,
        name="assign3.txt",
    ),
    # Exports of the web
    "Google Ads": Right(
        'Campaign report\n"January 1 - 31, 2024"\nCampaign,Clicks,Impr.,CTR\nx,40,"1,000",4.00%\ny,90,"3,000",3.00%\n',
        ONE | {"columns": ("item=Campaign",)}, TWO, [0.04, 0.03], False, "CTR as rewards",
    ),
    "GA4": Right(
        "# ----------------------------------------\n# Page titles\n# Account: Shop\n# 20240101-20240131\n"
        "# ----------------------------------------\n\nPage title,Views,Conversions\nx,1000,40\ny,3000,90\n",
        ONE | {"columns": ("item=Page title",)}, TWO, [0.04, 0.03], False, "Rewards are Conversions / Views.",
    ),
    "Optimizely": Right(
        "Variation Name,Visitors,Unique Conversions,Conversion Rate\nx,1000,40,4.0%\ny,3000,90,3.0%\n",
        ONE | {"columns": ("item=Variation Name",)}, TWO, [0.04, 0.03], False, "Conversion Rate as rewards",
    ),
    "newsletters in French": Right(
        "\ufefftitre;clics;affichages\nx;40;1\u202f000\ny;90;3\u202f000\n",
        ONE | {"columns": ("item=titre", "successes=clics", "trials=affichages")}, TWO, [0.04, 0.03], False,
        "Rewards are clics / affichages.",
    ),
    "Jira": Right(
        'Summary,Issue key,Assignee,Story point estimate,Component\n"Fix, then test",A-1,ann,3,web\nShip,A-2,bob,5,web\n'
        "Write,A-3,bob,8,docs\n",
        {"columns": ("item=Issue key", "theta=Story point estimate", "group=Component"), "capacities": ("1",)},
        MatroidBases(Partition(["web", "web", "docs"], 1)), [3, 5, 8], False, "Ignored columns: Summary, Assignee.",
    ),
    "titles with the word total": Right(
        "title,score\nTotal Recall,7.5\nAlien,8.5\nSum of All Fears,6.4\n", ONE, THREE, [7.5, 8.5, 6.4], False, "title as item"
    ),
    "shown and clicked": Right(
        "article,shown,clicked\nx,1000,40\ny,3000,90\n", ONE, TWO, [0.04, 0.03], False, "Rewards are clicked / shown."
    ),
    "pandas with a named index": Right("title,score\n0,1.5\n1,2.0\n", ONE, TWO, [1.5, 2], False, "title as item"),
    "numbers of R in quotes": Right('"","item","theta"\n"1","x",1\n"2","y",2\n', ONE, TWO, [1, 2], False, "(no name)"),
    "a matrix of means and variances is a table of items": Right(
        "item,theta,variance\nx,1,2\ny,2,1\n", ONE, TWO, [1, 2], variance=[2, 1]
    ),
}  # fmt: skip
"""Files by what they are."""
