"""Requests that must be refused, made systematically: what is wrong, where, and in which request."""

import itertools
import json
from dataclasses import dataclass, field

ACTIONS = ("ask", "tell", "tell-many", "forget", "expire")
JSON_TYPE = {"Content-Type": "application/json"}
VALID = {
    "ask": {},
    "tell": {"round": 2, "costs": [1.0, 1.0]},
    "tell-many": {"outcomes": [{"round": 2, "costs": [1.0, 1.0]}]},
    "forget": {"round": 2},
    "expire": {"age": 0},
}
"""Bodies that are accepted: round 2 is open and has two items, round 0 was told, round 1 forgotten."""
MALFORMED = (
    b"{", b"}", b"[", b'{"round": }', b'{"round" 2}', b"{'round': 2}", b'{"round": 2,}', b'{"round": 02}', b'{"round": +2}',
    b'{"round": .5}', b'{"round": 0x2}', b'{"round": NaN}', b'{"round": Infinity}', b'{"round": -Infinity}', b'{"round": 1e999}',
    b'{"round": ' + b"9" * 400 + b"}", b'{"round": 2, "round": 2}', b"\xff\xfe", b'{"a": "\xe4"}', b"null", b"true", b"3",
    b'"text"', b"[]", b'[{"round": 2}]', b"[" * 5000, b'{"a":' * 5000, b"[" * 200 + b"]" * 200,
    b'{"a": ' + b"[" * 150 + b"]" * 150 + b"}",
    b"\x00", b'{"round": 2}\x00', b'{"round": 2} {"round": 2}', b'{"round": "\\x"}', b'{"round": "\n"}', b"# comment\n{}",
    b"<a/>", b"round=2", b"\xef\xbb\xbf{", '{"round": 2}'.encode("utf-16"), '{"round": 2}'.encode("utf-32"), b"{}{}",
)  # fmt: skip
WRONG = (None, True, False, "", "2", "text", -1, 0.5, -0.5, 1e300, 2**53 + 2, 10**200, [], [2], {}, {"a": 1}, "\ud800", "\x00")
"""Values that are no number of a round; each is of another kind."""


@dataclass(frozen=True)
class Hostile:
    """A request to refuse."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    query: str = ""


def _post(action: str, body: object, **headers: str) -> Hostile:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Hostile("POST", f"/v1/learners/courier/{action}", content, JSON_TYPE | headers)


def malformed():
    """Bodies that are no JSON object."""
    return [_post(action, body) for action in ACTIONS for body in MALFORMED]


def fields():
    """Fields that are unknown, absent, or of the wrong kind."""
    further = [_post(action, VALID[action] | extra) for action in ACTIONS for extra in (
        {"extra": 1}, {"Round": 2}, {"round ": 2}, {"": 1}, {"__class__": "x"}, {"partial ": False}, {"\ud800": 1},
    )]  # fmt: skip
    absent = [_post("tell", {"costs": [1.0, 1.0]}), _post("forget", {}), _post("expire", {}), _post("tell", {"round": 2}),
              _post("tell-many", {}), _post("tell", {"round": 2, "costs": [1, 1], "rewards": [1, 1]}),
              _post("expire", {"age": 1, "before": 2}), _post("expire", {"seconds": 1, "before": 2, "age": 1})]  # fmt: skip
    places = (("tell", "round"), ("forget", "round"), ("expire", "age"))
    numbers = [_post(action, VALID[action] | {name: value}) for (action, name), value in itertools.product(places, WRONG)]
    numbers += [_post("expire", {"before": value}) for value in WRONG]
    numbers += [_post("expire", {"seconds": value}) for value in WRONG if value != 0.5]
    counts = [_post("ask", {"count": value}) for value in (*WRONG, 0, 1001, 10**6)]
    flags = [_post(action, VALID[action] | {"partial": value})
             for action in ("tell", "tell-many") for value in (None, 0, 1, "true", "", [], {})]  # fmt: skip
    return further + absent + numbers + counts + flags


def rounds():
    """Rounds that do not exist or are closed."""
    numbers = (0, 1, 3, 999, 2**53)
    single = [_post(action, VALID[action] | {"round": n}) for action in ("tell", "forget") for n in numbers]
    good, bad = {"round": 2, "costs": [1.0, 1.0]}, {"round": 0, "costs": [1.0, 1.0]}
    many = [[bad], [good, bad], [bad, good], [good, good], [good, {"round": 3, "costs": [1.0]}],
            [good, {"round": 2, "rewards": [1.0, 1.0]}], [[]], [None], [2], [{}], {"2": [1.0, 1.0]}, "text",
            None]  # fmt: skip
    return single + [_post("tell-many", {"outcomes": value}) for value in many]


def outcomes():
    """Outcomes of the wrong length, kind or size, or of other items."""
    values = (
        None, True, 1.0, "1,1", "", [], [1.0], [1.0, 1.0, 1.0], [1.0] * 10_000, [None, 1.0], [None, None], [True, 1.0],
        ["1", 1.0], [[], 1.0], [{}, 1.0], [1e101, 1.0], [-1e308, 1.0], [10**299, 1.0], {}, {"x": 1.0}, {'["home", "b"]': 1.0},
        {'["home", "b"]': 1.0, '["b", "work"]': "1"}, {'["home", "b"]': 1.0, '["home", "a"]': 1.0}, {"[": 1.0},
        {'["home", "b"]': 1.0, '["home","b"]': 1.0}, [[["home", "b"], 1.0]], [[["home", "b"], 1.0], [["home", "b"], 1.0]],
        [[["home", "b"], 1.0], [["home", "a"], 1.0]], [[["home", "b"], None], [["b", "work"], 1.0]], [[1, 1.0], [2, 1.0]],
        [["home", 1.0], ["b", 1.0]], [[["home", "b"]], [["b", "work"]]], [[["home", "b"], 1.0, 2], [["b", "work"], 1.0]],
        [[None, 1.0], [None, 1.0]], [[{"tuple": ["home", "b"]}, 1.0], [["b", "work"], 1.0]], [[[[[["home"]]]], 1.0]],
    )  # fmt: skip
    single = [_post("tell", {"round": 2, name: value}) for name in ("costs", "rewards") for value in values]
    many = [_post("tell-many", {"outcomes": [{"round": 2, "costs": value}]}) for value in values]
    unknown = [_post("tell", {"round": 2, "costs": {"x": 1.0}, "partial": True}),
               _post("tell", {"round": 2, "costs": [1.0], "partial": True})]  # fmt: skip
    return single + many + unknown


def availability():
    """Items that do not exist, and masks."""
    values = (True, 0, 1.5, "home", {}, {"a": 1}, {"except": None}, {"except": {}}, {"except": "home"}, {"except": [["x", "y"]]},
              {"except": [], "only": []}, [["home", "x"]], ["home"], [0], [True] * 4, [None], [[]], [{}], [["home", "a", 0]],
              [["home", ["a"]]], [1e300], [["home", "a"], "x"])  # fmt: skip
    nothing_left = {"available": {"except": [["home", "a"], ["home", "b"]]}, "count": 3}
    return [_post("ask", {"available": value}) for value in (*values, [])] + [_post("ask", nothing_left)]


def paths():
    """Paths that lead nowhere, and tricks with separators, dots and encodings."""
    parts = ("", "/", "..", ".", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00", "%0a", "courier%00", "COURIER", "courier ",
             "%20courier", "courier%2fask", "*", "'", '"', "%27%20OR%201%3D1", "{name}", "%7Bname%7D", "$(id)", "couriér",
             "%f0%9f%92%a9", "%ff", "x" * 3000, "-1", "0", "null", "%5c..%5c", "courier;a=b",
             "courier%3b", "<script>", "%u0063")  # fmt: skip
    reads = [Hostile("GET", f"/v1/learners/{part}/{view}") for part in parts for view in ("estimates", "state")]
    asks = [Hostile("POST", f"/v1/learners/{part}/ask", b"{}", JSON_TYPE) for part in parts]
    others = [Hostile("GET", path) for path in (
        "/v1", "/v1/", "/v1/learners/", "/v2/learners", "/v1/learners/courier/", "/v1/learners/courier/nothing", "//v1/learners",
        "/v1//learners", "/v1/learners/courier/estimates/", "/v1/learners/courier/estimates/x", "/V1/learners", "/static/",
        "/static/..", "/static/../settings.py", "/static/%2e%2e/settings.py", "/static/..%2fsettings.py", "/static/index.html",
        "/static/api.html", "/static//etc/passwd", "/static/nothing.js", "/docs/", "/docs/x", "/openapi.json/", "/health/",
        "/metrics/", "/favicon.ico", "/.git/config", "/.env", "/admin", "/%2e%2e/%2e%2e/etc/passwd",
    )]  # fmt: skip
    return reads + asks + others


def methods():
    """Methods that a path does not have."""
    posts = [Hostile(method, f"/v1/learners/courier/{action}", b"{}" if method != "GET" else b"", JSON_TYPE)
             for action in ACTIONS for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO")]  # fmt: skip
    gets = [Hostile(method, path, b"{}", JSON_TYPE)
            for path in ("/v1/learners", "/v1/learners/courier", "/v1/learners/courier/state", "/health", "/metrics", "/docs")
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS")]  # fmt: skip
    return posts + gets


def types():
    """Content types and encodings that are not plain JSON."""
    kinds = ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml",
             "application/jsonp", "json", "application/json, text/plain", "text/json", "application/ json", "\x7f")  # fmt: skip
    wrong = [_post(action, VALID[action], **{"Content-Type": kind}) for action in ACTIONS for kind in kinds]
    absent = [Hostile("POST", f"/v1/learners/courier/{action}", json.dumps(VALID[action]).encode()) for action in ACTIONS]
    encoded = [_post("ask", {}, **{"Content-Encoding": kind}) for kind in ("gzip", "deflate", "br", "gzip, identity", "x")]
    return wrong + absent + encoded


def queries():
    """Parameters of URLs that are unknown, repeated or malformed."""
    rounds = ("limit=0", "limit=-1", "limit=1001", "limit=x", "limit=", "limit=1.5", "limit=NaN", "limit=1&limit=2", "limt=1",
              "after=-1", "after=x", "after=1e3", f"after={10**30}", "after=&limit=2", "%00=1", "limit=%00", "=", "a=b&limit=2",
              "limit=1;after=2", "after=null", "limit=٣x")  # fmt: skip
    errors = [f"error={value}" for value in ("0", "1", "-1", "NaN", "inf", "x", "", "1e999", "0.1&error=0.2")]
    more = [Hostile("GET", f"/v1/learners/courier/{view}", query="x=1") for view in ("state", "bound", "estimates")]
    return [Hostile("GET", "/v1/learners/courier/rounds", query=query) for query in rounds] + [
        Hostile("GET", "/v1/learners/courier/estimates", query=query) for query in errors
    ] + more + [Hostile("POST", "/v1/learners/courier/ask", b"{}", JSON_TYPE, "count=2")]  # fmt: skip


def keys():
    """Keys of other calls, and texts that are no key; the key "first" is that of the ask of round 0."""
    other = [_post(action, VALID[action], **{"Idempotency-Key": "first"}) for action in ACTIONS if action != "ask"]
    texts = ("", "x" * 201, "\x01", "a\tb", "\x7f", "é\x80")
    return other + [_post(action, VALID[action], **{"Idempotency-Key": text}) for action in ACTIONS for text in texts]


def sizes():
    """Bodies above the limit."""
    large = (b" " * 1_000_001, b'{"round": ' + b" " * 1_000_000 + b"2}", b"[" * 2_000_000, b'{"a": "' + b"x" * 5_000_000 + b'"}')
    return [_post(action, body) for action in ("ask", "tell") for body in large]


KINDS = {part.__name__: part for part in (
    rounds, malformed, fields, outcomes, availability, paths, methods, types, queries, keys, sizes,
)}  # fmt: skip
