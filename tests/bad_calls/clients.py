"""Calls of the client that must be refused before anything is sent: nobody answers at its address."""

import math

from semibandits.client import Client


def call(use):
    with Client("http://127.0.0.1:9", retries=0) as client:
        use(client.learner("commute"))


HIDDEN = "^(?!.*s3cret)"  # no message shows a password or a token
CALLS = [
    (lambda: call(lambda one: one.tell(1, [math.inf])), "must be finite numbers"),
    (lambda: call(lambda one: one.ask({"a"}, unavailable={"b"})), "got both"),
    (lambda: call(lambda one: one.ask([b"a"])), "a label must be"),
    (lambda: call(lambda one: one.ask(key="two\nlines")), "key must be a printable ASCII text"),
    (lambda: call(lambda one: one.expire()), "one of age, before and seconds must be given, got 0"),
    *((lambda *, url=url: Client(url), HIDDEN)
      for url in ("localhost:8000", "ftp://host", "http://me:s3cret@host", "http://host?x=1", "http://[")),
    (lambda: Client("http://host", "s3cret\n"), HIDDEN),
]  # fmt: skip
