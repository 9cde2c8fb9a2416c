"""Comparison of a study with the one that its folder was started with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits.formats.files import read_bytes
from semibandits.formats.json import strict_json
from semibandits.instances import Instance
from semibandits.simulation.growth import OTHER_FOLDER, check_growth
from semibandits.simulation.parts import DESCRIPTION, RESULT, described
from semibandits.simulation.results import load_simulation, recorded
from semibandits.simulation.specification import Specification
from semibandits_studies.reporting.sources import INSTANCE, STUDY
from semibandits_studies.studies.fields import check_table, shown
from semibandits_studies.studies.folder import RunFolder
from semibandits_studies.studies.study import Study
from semibandits_studies.studies.study_file import read_toml, study_tables
from semibandits_studies.studies.toml import value_text

_TEXTS: Final = {"name": "the title", "unit": "the unit", "question": "the question"}
"""Texts of an instance that a run repeats, by their keys."""
_FREE: Final = ("execution", "output")
"""Tables that results do not depend on."""
_SIMULATION: Final = "simulation"


def check_unchanged(folder: RunFolder, study: Study, instance: Instance) -> None:
    """Raise an error if the folder was started with another study, except for a simulation that has grown."""
    if not folder.keeps(STUDY):
        return
    before = read_toml(folder.path / STUDY)
    for name, values in before.items():
        check_table(name, values, folder.path / STUDY)
    differences = dict(_differences(before, study_tables(study)))
    if study.problem.file is not None and "file" not in differences and folder.keeps(INSTANCE):
        kept = folder.path / INSTANCE
        text = read_bytes(kept)
        try:
            content = strict_json(text)
        except ValueError:
            content = None
        now = json.loads(json.dumps(instance.description))
        if content != now:
            changed = _changed_texts(content, now) or f"{study.problem.file} has changed"
            differences["instance"] = changed if isinstance(content, dict) else f"{kept} is damaged"
    if differences:
        what = "simulation" if study.simulation is not None else "study"
        raise InvalidInputError(
            f"folder must contain a run of the same {what}, got another {', '.join(differences)} in {folder.path} "
            f"({'; '.join(differences.values())}): ",
            *OTHER_FOLDER,
        )


def _changed_texts(before: Any, now: dict[str, Any]) -> str:
    """The texts in which two instances differ, if they differ in nothing else; else ""."""
    if not isinstance(before, dict):
        return ""
    keys = {key for key in {*before, *now} if before.get(key) != now.get(key)}
    if keys == {"features"}:
        return "the features have changed"
    if not keys <= set(_TEXTS):
        return ""
    return "; ".join(f"{_TEXTS[key]} was {before.get(key, '')!r}, now {now.get(key, '')!r}" for key in sorted(keys))


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each key that differs, or table that only one of them has, with a description of the difference."""
    # the default time limit of the bound depends on whether there is a simulation
    free = _FREE if (_SIMULATION in before) == (_SIMULATION in now) else (*_FREE, "bound")
    for table in dict.fromkeys([*now, *before]):
        if table in free:
            continue
        if table not in before or table not in now:
            yield table, f"[{table}] was {'absent' if table in now else 'present'}"
            continue
        own, other = now[table], before[table]
        allowed = _grown(other, own) if table == _SIMULATION else {"law"} - set(other)  # which 1.0.0 kept in bound.json only
        for key in dict.fromkeys([*own, *other]):
            if own.get(key) != other.get(key) and key not in allowed:
                yield key, f"{key} = {_shown(own, key)}, was {_shown(other, key)}"


def _grown(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """Keys of the simulation whose values have grown, so that it may extend the earlier one: see `check_extension`."""
    grown = set()
    for key in ("horizon", "replications"):
        old, new = before.get(key), now.get(key)
        if type(old) is int and type(new) is int and old < new:
            grown.add(key)
    policies = before.get("policies")
    if isinstance(policies, list) and all(policy in now["policies"] for policy in policies):
        grown.add("policies")
    return grown | {"checkpoints"} if "horizon" in grown else grown


def check_extension(folder: RunFolder, specification: Specification, *, extend: bool) -> None:
    """Raise an error unless the simulation is that in the folder, or extends it; `extend` allows a longer horizon."""
    path = folder.path / DESCRIPTION
    if path.exists():
        before = described(path)["specification"]
    elif folder.is_finished:
        before = recorded(load_simulation(folder.path / RESULT), "specification")
    else:
        return
    check_growth(before, specification.description, folder.path, extend=extend)


def _shown(table: dict[str, Any], key: str) -> str:
    if key not in table:
        return "absent"
    value = table[key]
    try:
        text = value_text(value)
    except (TypeError, ValueError):  # the file was edited: dates, tables, numbers of thousands of digits
        return shown(value)
    return text if len(text) <= 60 else "a long list" if text.startswith("[") else "a long text"
