"""Files appear complete or not at all."""

import pytest

from semibandits.errors import InvalidInputError
from semibandits.instances.files import read_text, write_whole


def test_what_is_written_is_read(tmp_path):
    write_whole(tmp_path / "a.txt", "θ\n".encode())
    write_whole(tmp_path / "a.txt", "new θ\n".encode())
    assert read_text(tmp_path / "a.txt") == "new θ\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["x" * 300, "folder", "none/a.txt"])
def test_what_cannot_be_written_leaves_nothing_behind(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInputError, match=r"must be writable, got .*: choose another file"):
        write_whole(tmp_path / name, b"text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
