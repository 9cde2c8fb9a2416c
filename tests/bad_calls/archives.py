"""Contents that no file of a simulation can hold, and files that are missing or something else."""

from pathlib import Path

import numpy as np

from semibandits.simulation.storage import read_archive, write_archive


def header(folder, value):
    write_archive(folder / "run", {"kind": "part", "bad": value}, {})


def array(folder, values, name="x"):
    write_archive(folder / "run", {"kind": "part"}, {name: values})


def read(path, content=None):
    if content is not None:
        path.write_bytes(content)
    read_archive(path, kind="part")


BAD, NAMES, TYPES = r"header\['bad'\]", "names of arrays", "array 'x' must hold booleans, integers or floats"
CALLS = [
    *((lambda folder, *, value=value: header(folder, value), BAD)
      for value in (float("nan"), float("inf"), np.int64(3), b"x", {1: 2}, {"a": [{"b": {2, 3}}]}, np.zeros(2), 1j)),
    *((lambda folder, *, head=head: write_archive(folder / "run", head, {}), "kind") for head in ({}, {"kind": 3})),
    (lambda folder: write_archive(folder / "none" / "run", {"kind": "part"}, {}), "must be writable"),
    *((lambda folder, *, name=name: array(folder, np.zeros(1), name), NAMES)
      for name in ("", "/a", "a/", "../a", "a//b", "a.b", "θ", "a b", 3)),
    *((lambda folder, *, values=values: array(folder, values), TYPES)
      for values in (np.array(["x"]), np.zeros(2, dtype=complex), np.array([None]), np.zeros(1, "M8[s]"))),
    (lambda folder: read(folder / "none"), "must be a readable file"),
    (lambda folder: read(folder), "must be a readable file"),
    (lambda folder: read(folder / "a\0b"), "must be a readable file"),
    (lambda: read(Path("/dev/zero")), "must be a readable file, got a folder, pipe or device"),
    *((lambda folder, *, content=content: read(folder / "other", content), "other.*another format")
      for content in (b"", b"hello\n", b"\x89PNG\r\n\x1a\n")),
]  # fmt: skip
