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
    (lambda folder: header(folder, float("nan")), BAD),
    (lambda folder: header(folder, float("inf")), BAD),
    (lambda folder: header(folder, np.int64(3)), BAD),
    (lambda folder: header(folder, b"x"), BAD),
    (lambda folder: header(folder, {1: 2}), BAD),
    (lambda folder: header(folder, {"a": [{"b": {2, 3}}]}), BAD),
    (lambda folder: header(folder, np.zeros(2)), BAD),
    (lambda folder: header(folder, 1j), BAD),
    (lambda folder: write_archive(folder / "run", {}, {}), "kind"),
    (lambda folder: write_archive(folder / "run", {"kind": 3}, {}), "kind"),
    (lambda folder: write_archive(folder / "none" / "run", {"kind": "part"}, {}), "must be writable"),
    (lambda folder: array(folder, np.zeros(1), ""), NAMES),
    (lambda folder: array(folder, np.zeros(1), "/a"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "a/"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "../a"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "a//b"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "a.b"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "θ"), NAMES),
    (lambda folder: array(folder, np.zeros(1), "a b"), NAMES),
    (lambda folder: array(folder, np.zeros(1), 3), NAMES),
    (lambda folder: array(folder, np.array(["x"])), TYPES),
    (lambda folder: array(folder, np.zeros(2, dtype=complex)), TYPES),
    (lambda folder: array(folder, np.array([None])), TYPES),
    (lambda folder: array(folder, np.zeros(1, "M8[s]")), TYPES),
    (lambda folder: read(folder / "none"), "must be a readable file"),
    (lambda folder: read(folder), "must be a readable file"),
    (lambda folder: read(folder / "a\0b"), "must be a readable file"),
    (lambda: read(Path("/dev/zero")), "must be a readable file, got a folder, pipe or device"),
    (lambda folder: read(folder / "other", b""), "other.*another format"),
    (lambda folder: read(folder / "other", b"hello\n"), "other.*another format"),
    (lambda folder: read(folder / "other", b"\x89PNG\r\n\x1a\n"), "other.*another format"),
]  # fmt: skip
