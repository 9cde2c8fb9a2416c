"""URLs of databases: one error for those that cannot be used, and no password in any text."""

import logging
import traceback
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from psycopg import OperationalError
from sqlalchemy import URL

import semibandits as sb
from semibandits.errors import InvalidInputError, StorageError
from semibandits.formats.printable import url_without_password, without_passwords
from semibandits_server.database.backend import Backend
from semibandits_server.service.logs import Lines
from semibandits_studies.cli.terminal import print_remark

SECRET = "begin-of-it", "end-of-it"
SERVER = "postgresql://bob@127.0.0.1:1/db"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://h:abc/db", r"got 'postgresql://h:\*\*\*'"),
        ("postgresql://[::1/db", r"got 'postgresql://\[::1/db'"),
        ("postgresql://h:65536/db", "must be the URL of a database"),
        (f"postgresql://h:{'9' * 5_000}/db", "must be the URL of a database"),
        (f"postgresql://{'h' * 100}/db", "must be the URL of a database"),
        ("postgresql://h/db?host=a:1&host=b:x", "must be the URL of a database"),
        ("postgresql://u:p%00@h/db", r"got 'postgresql://u:\*\*\*@h/db'"),
        ("postgresql://bob:pa@ss@h/db", "must have one @ after the password"),
        ("postgresql://office/bob:pass@h/db", "must have one @ after the password"),
        ("postgresql://h/db?plugin=os", "must be those of PostgreSQL, got 'plugin': leave it out"),
        ("postgresql://h/db?conninfo=password%3Dpass", "got 'conninfo'"),
        ("postgresql://h/db?sslmod=require", "got 'sslmod': did you mean 'sslmode'"),
        ("postgresql://h/db?password=a&password=b", "must be given once, got 'password' twice"),
        ("sqlite:///a\0b", "must be the URL of a database"),
        ("sqlite:///a%00b", "must be the URL of a database"),
        ("sqlite://h/x.db", "must name a file after three slashes"),
        ("sqlite:///x.db?timeout=abc", "must have no parameters for a file of SQLite, got 'timeout'"),
        ("sqlite:///file::memory:?uri=true", "must name a file"),
        (None, "got 'None'"),
    ],
)
def test_urls_that_are_refused_before_anything_is_written(url, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match=message):
        sb.open_learner(url, name="one", decision_set=sb.MSets(3, 1), variance=1.0, timeout=0.0)
    assert list(tmp_path.iterdir()) == []


def test_parameters_of_a_server_are_used():
    backend = Backend("postgres://bob@h/db?sslmode=require&host=a&host=b&connect_timeout=7", timeout=0.0)
    assert backend.shown == "postgresql+psycopg://bob@h/db?connect_timeout=7&host=a&host=b&sslmode=require"


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10))
@example(" ")
@example("@h/?&=:*'\"")
def test_no_text_contains_a_password(middle):
    """The password is well-formed, in a parameter, or malformed; the error of the driver quotes it, too."""
    secret = middle.join(SECRET)
    encoded = quote(secret, safe="")
    urls = [
        SERVER.replace("bob", f"bob:{encoded}"), f"{SERVER}?password={encoded}", f"{SERVER}?user=x&pass%77ord={encoded}&user=x",
        f"{SERVER}?sslpassword={encoded}", f"{SERVER}?conninfo=password%3D{encoded}", f"postgresql://bob:{secret}@h:x/db",
        f"postgresql://bob:{secret.replace('@', '')}", f"postgresql:bob:{secret}@h/db", f"bob:{secret}@h/db",
        f"host=h password={secret}", f"mysql://bob:{encoded}@h/db", f"sqlite://bob:{encoded}@h/x.db",
        URL.create("postgresql", "bob", secret, "h", 65_536, "db"),
    ]  # fmt: skip
    for url in urls:
        texts = [url_without_password(str(url))]
        try:
            backend = Backend(url, timeout=0.0)
        except InvalidInputError as error:
            texts += traceback.format_exception(error)
        else:
            texts += [backend.shown, *_texts_of_a_failure(backend, secret)]
        for text in texts:
            assert not any(part in text for part in SECRET), (url, text)
            assert without_passwords(text) == text


def _texts_of_a_failure(backend, secret):
    """What is shown of an error of the driver that quotes the password."""

    def fails(connection):
        raise OperationalError(f"connection of bob with {secret} and {quote(secret)} failed")

    backend._transaction = lambda work, *, reads: work(None)
    with pytest.raises(StorageError) as caught:
        backend.run(fails)
    return [str(caught.value), *traceback.format_exception(caught.value)]


def test_causes_without_a_password_are_kept():
    with pytest.raises(StorageError) as caught:
        Backend(f"{SERVER}?password=never-in-the-message", timeout=0.0).prepare(create=True)
    assert "Connection refused" in str(caught.value.__cause__)


def test_logs_and_remarks_contain_no_password(capsys):
    text = "it failed: postgresql://bob:secret@h/db?password=secret, 'host=h password=secret', http://127.0.0.1:8000/?key=secret"
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "%s", (text,), None)
    for line in (Lines(as_json=True).format(record), Lines(as_json=False).format(record)):
        assert "secret" not in line
        assert "postgresql://bob:***@h/db?password=***" in line
    print_remark("Error", text)
    assert "secret" not in capsys.readouterr().err
    for harmless in ("http://127.0.0.1:8000/a?b=c:d", "see 'http://[::1]:80'.", "sqlite:////a:b@c.db", "pass key=... or token="):
        assert without_passwords(harmless) == harmless
