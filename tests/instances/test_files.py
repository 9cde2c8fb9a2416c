"""Files are written completely or not at all."""

import os

import pytest

from semibandits.errors import InvalidInputError
from semibandits.formats.files import similar_file, write_whole
from semibandits_studies.instances.files import check_target, read_text


def test_round_trip(tmp_path):
    write_whole(tmp_path / "a.txt", "θ\n".encode())
    write_whole(tmp_path / "a.txt", "new θ\n".encode())
    assert read_text(tmp_path / "a.txt") == "new θ\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_two_writers_of_one_file_do_not_mix(tmp_path, monkeypatch):
    path, replace = tmp_path / "a.txt", os.replace

    def after_another(part, target):
        monkeypatch.setattr(os, "replace", replace)
        write_whole(path, b"that of the other")  # from its beginning to its end, while ours waits to be renamed
        assert path.read_bytes() == b"that of the other"
        return replace(part, target)

    monkeypatch.setattr(os, "replace", after_another)
    write_whole(path, b"ours")
    assert path.read_bytes() == b"ours"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_is_replaced_and_its_target_unchanged(tmp_path):
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "a.txt").symlink_to("precious")
    write_whole(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_the_longest_names(tmp_path):
    path = tmp_path / ("x" * 255)
    check_target(path)
    write_whole(path, b"text")
    assert path.read_bytes() == b"text"


def test_names_that_are_too_long(tmp_path):
    with pytest.raises(InvalidInputError, match=r"must be the name of a file, got File name too long: choose another"):
        check_target(tmp_path / ("x" * 300))


@pytest.mark.parametrize("name", ["x" * 300, "folder", "none/a.txt", "a\0b"])
def test_failed_writes_leave_no_files(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInputError, match=r"must be writable, got .*: choose another file"):
        write_whole(tmp_path / name, b"text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_misspelt_names_get_the_nearest_file(tmp_path, monkeypatch):
    for name in ("articles.csv", "Roads.CSV", "x"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    assert similar_file("artcles.csv") == "did you mean articles.csv?"
    assert similar_file("roads.csv") == "did you mean Roads.CSV?"
    assert similar_file(tmp_path / "article.csv") == f"did you mean {tmp_path / 'articles.csv'}?"
    with pytest.raises(InvalidInputError, match=r"No such file or directory: did you mean articles.csv\?$"):
        read_text("articels.csv")
    # Nothing is similar; x exists, but could not be read.
    for path in ("films.csv", "x", "nowhere/articles.csv", "a\0b"):
        assert similar_file(path) == "check the path"
