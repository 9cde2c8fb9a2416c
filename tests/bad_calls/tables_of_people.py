"""Tables in files from which no instance can be read: the message names the cell or column, and the remedy."""

from semibandits.instances import ProblemOptions, read_csv, read_table

ENDS, ONE = {"source": "a", "target": "d"}, {"size": 1}
ROADS = "from,to,seconds\na,b,30\nb,d,20\na,c,15\nc,d,40\n"
BOTH_WAYS = ROADS + "b,a,31\nd,b,21\nc,a,16\nd,c,41\n"
DIAMOND = "tail,head,theta\na,b,1\nb,d,2\na,c,3\nc,d,4\nc,d,0.5\n"
TABLE = "row,column,theta\n1,x,1\n1,y,2\n2,x,3\n2,y,-4e-1\n2,z,0\n"
ITEMS = "item,theta\nu,1\nv,2\nw,3\n"
GROUPED = "item,theta,group\nu,1,p\nv,2,p\nw,3,q\n"
TWICE = "item,theta,group1,group2\nu,1,p,s\nv,2,p,t\nw,3,q,t\nx,4,q,s\n"
HEAD = "tail,head,theta,least\n"
ONE_WAY = HEAD + "a,b,-3,2\nb,a,-3,2\nb,d,-5,3\na,c,-4,3\nc,b,-1.5,1\nb,c,-1.5,1\nc,d,-3.5,3\n"
STREETS = HEAD + "a,b,-3,2\na,c,-4,3\nb,c,-1.5,1\nd,b,-5,3\nc,d,-3.5,3\n"
APART = "b,b,-1,0\nmill,farm,-2,1\nbarn,barn,-1,0\n"

NO_END = "^(?!.*meant).*without tail and head: .*'tail=NAME', 'head=NAME'"


def read(folder, content, options=None, name="table.csv", **more):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    try:
        read_table(path, ProblemOptions(**{**(options or {}), **more}))
    except Exception as error:
        assert len(str(error)) < 600  # noqa: PT017
        raise


CALLS = [
    # The file and its lines
    (lambda f: read_csv(f / "none.csv"), "must be a readable file, got No such file"),
    (lambda f: read(f, ""), "must contain an instance, got an empty file"),
    (lambda f: read(f, "item,theta\n", ONE), "must have a line for each item, got the header only"),
    (lambda f: read(f, "u,1\nv,2\n", ONE), "must have a header, got u, 1 on line 1: add a line with the names of the columns"),
    (lambda f: read(f, ",,\n , \n"), "must have a header, got empty cells only"),
    (lambda f: read(f, "item,theta\nu,1\nv\n", ONE), "each line must have 2 cells like the header, got 1 on line 3"),
    (lambda f: read(f, "item,theta\nx,0,25\n", ONE), r"2 cells like the header, got 3 on line 2 .* with commas in double quotes"),
    (lambda f: read(f, "item,theta\nu,1\n,2\n", ONE), "item must be filled in on every line, got nothing on line 3"),
    (lambda f: read(f, 'item,theta\n"u,1\n', ONE), "must be a CSV file, got .* on line"),
    (lambda f: read(f, b"PK\x03\x04" + bytes(50), ONE), r"table in text, got an Excel file .*: name it .xlsx"),
    (lambda f: read(f, b"\x89PNG\r\n\x1a\n\x00\x00\x81\x8d", ONE), "must be text in UTF-8, got a byte that is not at position 0"),
    (lambda f: read(f, "item,theta\nx,1\n# y,2\nz,2\n", ONE), r"got '# y' on line 3 of .*, which looks like a comment: remove"),
    (lambda f: read(f, "from,to,km\na,b,1\n// no: b,d,2\na,d,2\n", ENDS), r"got '// no: b' on line 3 of .* like a comment"),
    (lambda f: read(f, "item,theta\nx,1\ny,2\nTotal,3\n", ONE), "got 'Total' on line 4, the last one .* looks like a total"),
    (lambda f: read(f, "Artikel;Klickrate;Klicks\nx;0,1;10\ny;0,2;20\nGesamt;0,15;30\n", ONE), "got 'Gesamt' on line 4"),
    (lambda f: read(f, "item,theta\nx,1\ny,2\nTotal Result,3\n", ONE), "got 'Total Result' on line 4, the last one"),
    (lambda f: read(f, "item,theta\nTotal,3\nx,1\ny,2\n", ONE), "got 'Total' on line 2 of .* looks like a total"),
    (lambda f: read(f, "from,to,km\na,b,1\nb,d,2\nTotal,Total,3\n", ENDS), "got 'Total' on line 4, the last one"),
    (lambda f: read(f, "item,theta\nx,1\nSubtotal A,1\ny,2\nz,5\n", ONE), "got 'Subtotal A' on line 3 of"),
    (lambda f: read(f, "item,theta\nu,1\n\n\nv,\n", ONE), "known for every item, got none on line 5 .*: fill in the cells"),
    (lambda f: read(f, "item,theta\nx,1\ny,NA\n", ONE), "theta must be known for every item, got none on line 3 of"),
    (lambda f: read(f, "item,theta\nu,1\nv,inf\n", ONE), "theta must be finite, got inf on line 3"),
    (lambda f: read(f, 'item,theta\nx,"1,234"\n', ONE), "got '1,234' on line 2 .*: write 1.234 or 1234"),
    (lambda f: read(f, "item;theta\nx;1,5\ny;1.5\n", ONE), "got '1.5' in theta on line 3 and '1,5' in theta on line 2"),
    (lambda f: read(f, "item,theta\nx,5%\ny,0.3\n", ONE), "percent sign on every line or none, got '0.3' on line 3"),
    (lambda f: read(f, "item,theta\nx,$1.50\n", ONE), r"got '\$1.50' on line 2 .*: remove the currency sign"),
    (lambda f: read(f, "from,to,time\na,b,1:30\n", ENDS), "time must be a number, got '1:30' on line 2 .* one number"),
    (lambda f: read(f, "from,to,time\na,b,15 min\n", ENDS), r"got '15 min' on line 2 .*: remove the unit .* cost \(min\)"),
    (lambda f: read(f, "item,theta,variance\nu,1,0\n", ONE), "variance must be positive, got 0 on line 2"),
    (lambda f: read(f, "item,theta,variance\nu,1,1\n", ONE, variance=2.0), "variance must be given once"),
    (lambda f: read(f, ITEMS, ONE, variance=0.0), "variance must be positive, got 0.0"),
    (lambda f: read(f, "item,clicks,views\nx,3,2\n", ONE), r"clicks must be .* at most views, .* got 3 of 2 on line 2"),
    (lambda f: read(f, "item,clicks,views\nx,0,0\n", ONE), "^clicks / views must be known for every item, got none on line 2"),
    # Columns and their names
    (lambda f: read(f, "title,ctr\nx,1\nx,2\n", ONE), r"distinct names, got 'x' on lines 2 and 3 of .*: rename one of them"),
    (lambda f: read(f, "item,ctr,ctr\nx,1,2\n", ONE), r"columns must be distinct, got 'ctr' twice in .*: rename or remove one"),
    (lambda f: read(f, "item\nu\n", ONE), r"msets must have the column theta .* or costs, got neither among item in .*: add it"),
    (lambda f: read(f, "item,theta,varaince\nu,1,1\n", ONE, family="msets"), "got 'varaince' in .*: did you mean 'variance'"),
    (lambda f: read(f, "from,seconds\na,1\n", ENDS), r"got from, seconds in .*, without head: add it, or .*'head=NAME'"),
    (lambda f: read(f, "form,to,cost\na,b,1\n", ENDS), r"is 'form' meant as 'tail'\? Rename it, or .*'tail=form'"),
    (lambda f: read(f, "driver,kerb,minutes\na,b,1\n"), "without column: add it, or name .*'column=kerb'"),
    (lambda f: read(f, "item,tehta\nx,1\n", ONE), r"is 'tehta' meant as 'theta'\? Rename it, or add .*'theta=tehta'"),
    (lambda f: read(f, "item,price\nx,1\n", ONE), "neither among item, price .*'theta=price'.* to maximise it, or .*costs"),
    (lambda f: read(f, "item,colour\nx,red\n", ONE), "msets must have the column theta .* neither among item, colour .*: add it"),
    (lambda f: read(f, "from,to,km,minutes\na,b,1,2\n", ENDS), "must be one column, got 'km' and 'minutes' .*'costs=km'"),
    (lambda f: read(f, "item,cost,reward\nx,1,2\n", ONE), "one column, got 'reward' and 'cost' .*: choose one"),
    (lambda f: read(f, "item,clicks,views,cost\nx,1,2,3\n", ONE), "got 'cost' and 'clicks / views' .*'successes=clicks'"),
    (lambda f: read(f, "id,name,theta\n1,x,2\n", ONE), "item must be one column, got 'id' and 'name' .*'item=id'"),
    (lambda f: read(f, ROADS, ENDS, columns=("costs=second",)), "known name, got 'second': did you mean seconds"),
    (lambda f: read(f, ROADS, ENDS, columns=("thteta=to",)), "role of a column .* got 'thteta': did you mean"),
    (lambda f: read(f, ROADS, ENDS, columns=("theta",)), "columns must be ROLE=COLUMN, got 'theta': write e.g."),
    (lambda f: read(f, ROADS, ENDS, columns=("tail=to", "tail=from")), "for tail, got 'to' and 'from': drop one"),
    (lambda f: read(f, ROADS, ENDS, columns=("tail=to", "head=to")), "got 'to' of .* as tail and head: drop one"),
    (lambda f: read(f, ROADS, ENDS, columns=("theta=to", "costs=to")), "theta or costs, got both, .*: drop one"),
    (lambda f: read(f, "from,to,km,area\na,d,1,x\n", ENDS, columns=("group=area",)), "of paths, .* got group, .*: drop it"),
    # Families and their options
    (lambda f: read(f, "alpha,beta\nx,y\n"), "columns must be those of a family .*, got alpha, beta .*'item=alpha'"),
    (lambda f: read(f, "name,start,end,reward\nx,1,2,3\n"), "suit msets and paths: choose one, as in family='msets'"),
    (lambda f: read(f, DIAMOND), "paths and routes and trees: give source and target for paths or routes, or family='trees'"),
    (lambda f: read(f, ITEMS, family="paths"), "paths must have the columns tail, head, theta or costs, got item, theta in "),
    (lambda f: read(f, ITEMS, family="laminar"), "family of a table must be a known name, got 'laminar'"),
    (lambda f: read(f, "hier,dort,Minuten\na,b,1\n", ENDS), "paths or routes must have the columns tail, head, "),
    (lambda f: read(f, "worker,t1,t2\na,1,2\n"), r"matchings must have the columns .* or costs \(one line per pair\), got"),
    (lambda f: read(f, ITEMS), "size must be given for this family, got none: add size"),
    (lambda f: read(f, ITEMS, ONE, source="a"), "^source must be used with paths or routes, got it with msets: drop it"),
    (lambda f: read(f, ITEMS, ONE, capacities=["1"]), "^capacities must be used with partition or intersection"),
    (lambda f: read(f, DIAMOND + "e,f,1\n", family="trees"), "graph must be connected"),
    (lambda f: read(f, TABLE), "a perfect matching needs as many rows as columns"),
    (lambda f: read(f, TABLE, saturate="all"), "saturate must be a known name, got 'all'"),
    (lambda f: read(f, "row,column,theta\n1,x,1\n2,x,1\n3,y,1\n3,z,1\n"), "saturate"),
    (lambda f: read(f, GROUPED), r"'p' of the column group: add capacities=\['p=K'\], or capacities=\['K'\] for all"),
    (lambda f: read(f, GROUPED, ONE), r"capacities=\['K'\] for all groups, or ignore the groups: family='msets'$"),
    (lambda f: read(f, GROUPED, capacities=["1"], size=8), "size must be at most 2, .* got 8: change it"),
    (lambda f: read(f, GROUPED, capacities=["p=1"]), "each group must have a capacity, got none for 'q'"),
    (lambda f: read(f, GROUPED, capacities=["1", "r=1"]), "group of a capacity must be a known name, got 'r'"),
    *((lambda f, *, text=text: read(f, GROUPED, capacities=[text]), f"^capacities must be K or NAME=K with K = 0, .*, got {got}")
      for text, got in (("x", "'x'"), ("9" * 5000, "5,000 characters"), ("p=-1", "'p=-1'"), ("group1:1", "'group1:1'"))),
    (lambda f: read(f, TWICE, capacities=["1"], size=3), "a common independent set of size = 3 items, got at most 2"),
    (lambda f: read(f, TWICE, capacities=["group1:1"]), "a capacity, got none for 's' of the column group2"),
    # Paths and routes
    (lambda f: read(f, DIAMOND, source="a"), "target must be given for this family, got none: add target"),
    (lambda f: read(f, DIAMOND, source="a", target="z"), "target node must be a known name, got 'z'"),
    (lambda f: read(f, DIAMOND + "d,a,1\n", ENDS), "theta must be at most 0 for routes, got 1 on line 2 .* the sign"),
    (lambda f: read(f, DIAMOND + "d,a,1\n", ENDS, family="paths"), "graph must be acyclic, got the cycle"),
    (lambda f: read(f, BOTH_WAYS, ENDS, undirected=True), "must list each link once, .* 'a' to 'b', in both directions: drop"),
    (lambda f: read(f, "from,to,km\na,b,1\nb,a,1\nb,d,-2\n", ENDS), "km must be at least 0 for routes, got -2 on line 4"),
    (lambda f: read(f, "tail,head,theta\na,d,1\nd,a,2\n", ENDS), "theta must be at most 0 for routes, got 1 on line 2 .*min"),
    (lambda f: read(f, "tail,head,theta\na,b,-3\nb,d,5\n", ENDS, undirected=True), "at most 0 for routes, got 5 on line 3"),
    (lambda f: read(f, "tail,head,cost,least\na,d,1,2\nd,a,2,1\n", ENDS), "cost must be at least 2 for routes, got 1 on line 2"),
    (lambda f: read(f, ONE_WAY.replace("-5,3", "-5,6"), ENDS), "at most -6 for routes, got -5 on line 4"),
    (lambda f: read(f, STREETS.replace("-5,3", "-5,6"), ENDS, undirected=True), "at most -6 for routes, got -5 on line 5"),
    (lambda f: read(f, ONE_WAY.replace("-5,3", "-5,-3"), ENDS), "least must be >= 0, got -3"),
    (lambda f: read(f, ONE_WAY + APART, source="a", target="mill"), "no path from 'a' to 'mill'"),
    (lambda f: read(f, HEAD + "b,a,-1,0\na,b,-1,0\nd,b,-1,0\n", ENDS), "no path from 'a' to 'd': check whether arcs point"),
    (lambda f: read(f, STREETS + APART, source="farm", target="d", undirected=True), "'d': check whether they are in different"),
    (lambda f: read(f, ONE_WAY + APART, source="barn", target="d"), "target must be reachable from source"),
    (lambda f: read(f, ONE_WAY, source="a", target="a"), "source and target must differ, got 'a'"),
    # Files with types
    (lambda f: read(f, '{"item": "x", "theta": 1}\n[1]\n', ONE, "r.jsonl"), "JSON object on each line, got a list on line 2"),
    (lambda f: read(f, '{"item": "x", "theta": 1}\n{"item"\n', ONE, "s.jsonl"), "got Expecting .* in line 2: correct it there"),
    (lambda f: read(f, '{"item": "x", "theta": "many"}\n', ONE, "t.ndjson"), "theta must be a number, got 'many' on line 1 of"),
    (lambda f: read(f, '{"item": 9007199254740993.0, "theta": 1}\n', ONE, "y.jsonl"), "line 1 .* with all of their digits, got"),
    (lambda f: read(f, b"PK\x03\x04" + bytes(50), ONE, "u.xlsx"), "an Excel file, got a damaged or other one .* or as .csv"),
    (lambda f: read(f, b"PAR1" + bytes(50), ONE, "v.parquet"), "a Parquet file, got a damaged or other one .* or as .csv"),
    (lambda f: read(f, b"\xd0\xcf\x11\xe0" + bytes(50), ONE, "w.xls"), "must be an Excel file, got a damaged or other one"),
    (lambda f: read(f, b"", ONE, "x.xlsx"), "must contain an instance, got an empty file"),
    # One end of a link alone is not proposed
    *((lambda f, *, names=names: read(f, f"{names},cost\na,b,1,2\n", ENDS), NO_END)
      for names in ("x,y,z", "term_node,stop,x", "b_node,length_b,x", "a1,a2,b1")),
]  # fmt: skip
