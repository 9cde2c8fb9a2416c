"""Databases of learners that cannot be used, and arguments that are not those of the learner that is there."""

import sys
from unittest import mock

import semibandits as sb
from semibandits.errors import StorageError

PRIOR = {"prior_means": [0.5] * 6, "prior_plays": 2}


def new(url, **options):
    arguments = {"decision_set": sb.MSets(6, 2), "policy": sb.CUCB(), "variance": 0.5, "seed": 3, **PRIOR, **options}
    return sb.open_learner(url, name="one", **arguments)


def in_folder(folder):
    return new(f"sqlite:///{folder}/learners.db")


def again(folder, *, name="one", **options):
    in_folder(folder).close()
    return sb.open_learner(f"sqlite:///{folder}/learners.db", name=name, **options)


def without(package, url):
    with mock.patch.dict(sys.modules, {package: None}):
        new(url)


def no_database(folder):
    (folder / "learners.db").write_text("no database, but a text that is longer than the header of one\n" * 20)
    return in_folder(folder)


def in_file(folder):
    (folder / "file").write_text("")
    return in_folder(folder / "file")


def no_name(folder, name):
    with in_folder(folder) as learner:
        learner.replace(sb.MSets(7, 2), name=name)


CALLS = [
    *((lambda folder, *, option=option: again(folder, **option), message) for option, message in (
        ({"decision_set": sb.MSets(7, 2)}, "decision_set must be the MSets with fingerprint"),
        ({"policy": sb.ESCB()}, "policy must have the specification"),
        ({"law": "bernoulli"}, "policy must have the specification"),
        ({"variance": 0.25}, "variance must be that of the learner 'one', 0.5, got 0.25"),
        ({"seed": 4}, "seed must be that of the learner 'one', got 4"),
        ({"half_life": 16}, r"half_life must be that of the learner 'one', .*, got 16\.0"),
        ({"drift_error": 0.2}, r"drift_error must be that of the learner 'one', 0\.01, got 0\.2"),
        ({**PRIOR, "prior_plays": 3}, "prior must be that of the learner 'one'"),
        ({"snapshot_every": 0}, "snapshot_every must be an integer >= 1"),
        ({"timeout": -1}, "timeout must be a number of seconds"),
        ({"name": "two"}, "decision_set must be given for a new learner"),
        ({"name": "ona"}, r"has no learner 'ona': did you mean 'one'\?"),
        ({"name": "a\nb"}, "name must be a printable text"), ({"name": ".."}, r"name must be another one than \. and \.\."),
    )),
    (lambda folder: again(folder, random_state=0), "did you mean seed", TypeError),
    (lambda folder: in_folder(folder).ask(key=""), "key must be a printable text"),
    (lambda folder: in_folder(folder).ask_many(0), "count must be an integer from 1 to 1,000,000, got 0"),
    *((lambda folder, *, seconds=seconds: in_folder(folder).expire(seconds=seconds), "seconds must be a number >= 0")
      for seconds in (-1.0, float("nan"), "1")),
    (lambda folder: in_folder(folder).expire(seconds=1.0, age=3), "one of age, before and seconds"),
    (lambda folder: no_name(folder, "one"), "name must be new in the database, got 'one'"),
    (lambda folder: no_name(folder, "."), r"name must be another one than \. and \.\."),
    *((lambda *, url=url: new(url), message) for url, message in (
        ("learners.db", "url must be the URL of a database, got 'learners.db'"), ("sqlite://", "url must name a file"),
        ("sqlite:///\udcff.db", r"url must be the URL of a database, got 'sqlite:///\\udcff.db'"),
        ("mysql://me@host/x", "url must begin with sqlite:/// or postgresql://, got 'mysql'"),
    )),
    (lambda: new("sqlite:////nowhere/at/all.db"), "must be a readable and writable database", StorageError),
    (lambda: new("postgresql://me:secret@127.0.0.1:1/learners", timeout=0.2),
     r"me:\*\*\*@127.0.0.1.* must answer within timeout = 0.2 seconds", StorageError),
    (lambda: without("sqlalchemy", "sqlite:///x.db"), "not installed: run pip install sqlalchemy", StorageError),
    (lambda: without("psycopg", "postgresql://h/x"), r'installed: run pip install "psycopg\[binary\]"', StorageError),
    (no_database, "file is not a database", StorageError),
    (in_file, "unable to open database file", StorageError),
]  # fmt: skip
