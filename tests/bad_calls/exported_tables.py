"""Files as programs export them from which no instance can be read: the message has the cure."""

from semibandits.instances import ProblemOptions, read_table

ENDS, NODES, ONE = {"source": "a", "target": "d"}, {"source": "1", "target": "4"}, {"size": 1}
COSTS = {"columns": ("costs=cells",)}
ADS = {"size": 1, "columns": ("item=Campaign",)}
PIVOT = "Average of minutes;Column Labels;;\nRow Labels;north;south;Grand Total\nAnn;1;2;1,5\nBob;3;1;2\n"
TNTP = "<NUMBER OF NODES> 4\n<END OF METADATA>\n~\tinit_node\tterm_node\tlength\tfree_flow_time\t;\n\t1\t4\t6\t3\t;\n"
TRIPS = "<NUMBER OF ZONES> 2\n<END OF METADATA>\n\nOrigin 1\n 1 : 0.0; 2 : 100.0;\nOrigin 2\n 1 : 5.0; 2 : 0.0;\n"
GAPS = "courier;zone;minutes\nAnn;north;\nAnn;south;31,5\nBob;north;25\nBob;south;\n"
SUBTOTALS = "title,score\nx,1.5\ny,2\n{}u,1\nv,2\n"
STATIONS = "src_id,src_city,dst_id,dst_city,minutes\n1,a,2,b,3\n"


def read(folder, content, options=None, name="table.csv"):
    path = folder / name
    path.write_text(content)
    try:
        read_table(path, ProblemOptions(**(options or {})))
    except Exception as error:
        assert len(str(error)) < 600  # noqa: PT017
        raise


CALLS = [
    # Gaps
    (lambda f: read(f, GAPS), r"minutes must be known for every item, got none on 2 lines \(first: 2\) .*: fill in"),
    (lambda f: read(f, "item,theta\nx,1\ny,#N/A\nz,-\n", ONE), r"got none on 2 lines \(first: 3\) .*semibandits learner create"),
    (lambda f: read(f, "page,Clicks,Views\nx,3,20\ny,,\n", {**ONE, "columns": ("item=page",)}), "^Clicks / Views must be known"),
    # Ends that are no pair
    (lambda f: read(f, "from_node_id,x,cost\na,b,1\n", ENDS), "without tail and head"),
    (lambda f: read(f, "source,init_node,term_node,cost\nq,a,b,1\n", ENDS), "without head"),
    (lambda f: read(f, STATIONS, ENDS), "without tail and head"),
    (lambda f: read(f, "courier,kerb,minutes\na,b,1\n"), "without column: .*'column=kerb'"),
    (lambda f: read(f, "zone,kerb,minutes\na,b,1\n"), "without row: .*'row=kerb'"),
    # Networks
    (lambda f: read(f, TNTP, NODES, "a_net.tntp"), "one column, got 'length' and 'free_flow_time' .*'costs=length'"),
    (lambda f: read(f, "from,to,km,freeflow_s\na,d,1,2\n", ENDS), "one column, got 'km' and 'freeflow_s'"),
    (lambda f: read(f, TRIPS, NODES, "a_trips.tntp"), "must have a header, got Origin, 1 on line 4"),
    (lambda f: read(f, "c x\np max 4 4\nn 1 s\na 1 2 5\n", NODES, "a.txt"), r"shortest paths \(p sp\), got 'p max': write it as"),
    (lambda f: read(f, "p asn 4 4\nn 1\nn 2\na 1 3 5\n", NODES, "a.txt"), r"\(p sp\), got 'p asn': .* a line for each arc"),
    (lambda f: read(f, "a b {'weight': 30}\nb d {'weight': 2}\n", ENDS, "a.txt"), r"write .*to_pandas_edgelist\(graph\)"),
    (lambda f: read(f, "a b {}\nb d {}\n", ENDS, "a.txt"), "attributes of networkx, 'a b {}': write the graph by networkx"),
    (lambda f: read(f, "a b 30\nb d 20\n", ENDS, "a.txt"), "a header, got a, b, 30 on line 1: .* or tail,head,costs for links"),
    (lambda f: read(f, "% sym weighted\n% 4 4 4\n1 2 30\n2 4 2\n", NODES, "a.txt"), "a header, got 1, 2, 30 on line 3"),
    (lambda f: read(f, "# FromNodeId\tToNodeId\n1\t2\n", NODES, "a.txt"), "neither among FromNodeId, ToNodeId in .*: add it"),
    # Matrices
    (lambda f: read(f, ",north,south\nAnn,1,2\nBob,3,1\n"), "clear whether .* costs or rewards.*'costs=cells'.*'theta=cells'"),
    (lambda f: read(f, ",north,south,Total\nAnn,1,2,3\nBob,3,1,4\n", COSTS), "got 'Total' .* like a total: remove or rename it"),
    (lambda f: read(f, ";north;south\nAnn;1;2\nBob;3;1\nGesamt;4;3\n", COSTS), "got 'Gesamt' in .* which looks like a total"),
    (lambda f: read(f, PIVOT, COSTS), "got 'Grand Total' in .* which looks like a total"),
    (lambda f: read(f, ";north;south\nAnn;1;x\nBob;;1\n", COSTS), "got none on line 3 .* write x for pairs that are not"),
    (lambda f: read(f, ",north,south\nAnn,1,NA\nBob,2,3\n", COSTS), "got none on line 2 .* write x .*learner create"),
    (lambda f: read(f, ",north,south\nAnn,1,12 min\nBob,2,3\n", COSTS), "numbers in their cells, or x .* got '12 min'"),
    (lambda f: read(f, "courier,north,south\nAnn,1,2\nAnn,2,3\n", COSTS), "rows of distinct names, .* got 'Ann'"),
    (lambda f: read(f, "courier,north,south\nAnn,1,2\nBob,2,3\nCem,4,4\n", COSTS), "2 columns: pass saturate='columns'"),
    (lambda f: read(f, "north,south,west\nAnn,1,2,\nBob,3,1,\n", COSTS), "a known name, got 'cells': choose from north, south"),
    (lambda f: read(f, "item,theta\nx,1\ny,0,25\nz,0,5\n", ONE | COSTS), "2 cells like the header, got 3 on line 3"),
    (lambda f: read(f, "1 2 3\n4 5 6\n7 8 9\n", COSTS, "a.txt"), "must have a header, got 1, 2, 3 on line 1"),
    (lambda f: read(f, "Ann,1,2\nBob,3,4\nCem,5,6\n", COSTS), "must have a header, got Ann, 1, 2 on line 1"),
    (lambda f: read(f, " 3\n 1 2 3 4 5\n", name="a.txt"), "must have a header, got 3 on line 1"),
    (lambda f: read(f, "who,popularity,age\nx,4,30\ny,3,40\n"), "columns must be those of a family .*'item=who'"),
    (lambda f: read(f, "item,variance,theta,north\nx,4,x,1\ny,3,40,1\n", ONE), "theta must be a number, got 'x' on line 2"),
    # Totals
    (lambda f: read(f, "Campaign,Clicks,Impr.\nx,4,100\ny,9,300\nTotal: Campaigns,13,400\n", ADS), "got 'Total: Campaigns'"),
    (lambda f: read(f, "Status,Campaign,CTR,Impr.\nOn,x,4.31%,100\nOn,y,3.17%,300\nTotal: Account, --,3.46%,400\n", ADS),
     "got 'Total: Account' on line 4, the last one of .* remove that line"),
    (lambda f: read(f, "Artikel;score\nx;1,5\ny;2\nSumme Kampagnen;3,5\n", ONE), "got 'Summe Kampagnen' on line 4, the last one"),
    (lambda f: read(f, "Artikel;score\nx;1,5\ny;2\nGesamtergebnis;1,75\n", ONE), "got 'Gesamtergebnis' on line 4, the last one"),
    (lambda f: read(f, "title,score\nx,1.5\ny,2\nTotal general,3.5\n", ONE), "got 'Total general' on line 4, the last one"),
    (lambda f: read(f, "title,score\nAll pages (total),3.5\nx,1.5\ny,2\n", ONE), r"got 'All pages \(total\)' on line 2 of"),
    (lambda f: read(f, SUBTOTALS.format("Total A,3.5\n"), ONE), "got 'Total A' on line 4 of .* looks like a total"),
    (lambda f: read(f, SUBTOTALS.format("A Average,1.75\n"), ONE), "got 'A Average' on line 4 of .* looks like a total"),
    (lambda f: read(f, "title,score\nx,1.5\ny,2\n,3.5\n", ONE), "got '' on line 4, the last one of .* looks like a total"),
    (lambda f: read(f, "title,score\nx,1.5\ny,2\n,9\n", ONE), "title must be filled in on every line, got nothing on line 4"),
    (lambda f: read(f, "from,to,km\na,b,1\nb,d,2\n,,3\n", ENDS), "got '' on line 4, the last one of .* looks like a total"),
    (lambda f: read(f, "from,to,km\na,b,1\nb,d,2\nTotal km,,3\n", ENDS), "got 'Total km' on line 4, the last one"),
]  # fmt: skip
