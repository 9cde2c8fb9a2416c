"""The attributes of an agent as plain JSON: the default of `Agent.state` and `Agent.restore`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.laws.base import Law
from semibandits.policies.prior import Prior

FIXED: Final = (DecisionSet, Law, Prior, BuiltinFunctionType, FunctionType, MethodType)
"""Attributes of these types never change, and an agent that has just been started has them already; also policies."""
ARRAYS: Final = "biuf"
"""Kinds of arrays that are written."""


def attributes_state(agent: object, fixed: tuple[type, ...]) -> dict[str, Any]:
    """Attributes of an agent as plain JSON, except those of the types `fixed`; `UnsupportedError` if one cannot be written, or
    the agent stores attributes in slots.
    """
    return {name: _encoded(value, name, agent) for name, value in _plain(agent, fixed).items()}


def restore_attributes(agent: object, state: object, fixed: tuple[type, ...]) -> None:
    """Replace all attributes of an agent by those of an output of `attributes_state`, except those of the types `fixed`. After an
    error the agent is unchanged.
    """
    try:
        if not isinstance(state, Mapping):
            raise TypeError(f"got {type(state).__name__}")
        values = {str(name): _decoded(value) for name, value in state.items()}
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise InvalidInputError(
            f"the state of {type(agent).__name__} must hold its attributes, got another one ({error}): "
            "the state is damaged, use a copy"
        ) from error
    for name in _plain(agent, fixed):
        delattr(agent, name)
    for name, value in values.items():
        setattr(agent, name, value)


def _plain(agent: object, fixed: tuple[type, ...]) -> dict[str, Any]:
    try:
        values = vars(agent)
    except TypeError:
        raise UnsupportedError(
            f"{type(agent).__name__} keeps no attributes that can be saved: implement `state` and `restore`"
        ) from None
    return {name: value for name, value in values.items() if not isinstance(value, (*FIXED, *fixed))}


def _encoded(value: Any, name: str, agent: object) -> Any:
    """A value as plain JSON; floats that are not finite, arrays and all that JSON lacks are objects with one tag."""
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in ARRAYS:
        flat = [_encoded(number, name, agent) for number in value.ravel().tolist()]
        return {"array": {"dtype": value.dtype.str, "shape": list(value.shape), "values": flat}}
    if type(value) is list:
        return [_encoded(part, name, agent) for part in value]
    if type(value) in (tuple, set):
        parts = sorted(value, key=repr) if isinstance(value, set) else value
        return {type(value).__name__: [_encoded(part, name, agent) for part in parts]}
    if type(value) is dict:
        return {"dict": [[_encoded(key, name, agent), _encoded(part, name, agent)] for key, part in value.items()]}
    remedy = "draw from the rng of `choose`, or " if isinstance(value, np.random.Generator) else ""
    raise UnsupportedError(
        f"the attribute {name!r} of {type(agent).__name__} must be a number, a text, an array, or a list, tuple, set or dict of "
        f"these to be saved, got {type(value).__name__}: {remedy}implement `state` and `restore`"
    )


def _decoded(value: Any) -> Any:
    """Inverse of `_encoded`."""
    match value:
        case {"float": str(text)}:
            return float(text)
        case {"array": {"dtype": str(dtype), "shape": list(shape), "values": list(flat)}}:
            if np.dtype(dtype).kind not in ARRAYS:
                raise ValueError(f"an array of {dtype}")
            return np.array([_decoded(number) for number in flat], dtype=dtype).reshape(shape)[()]
        case {"tuple": list(parts)}:
            return tuple(map(_decoded, parts))
        case {"set": list(parts)}:
            return set(map(_decoded, parts))
        case {"dict": list(pairs)}:
            return {_decoded(key): _decoded(part) for key, part in pairs}
        case list():
            return list(map(_decoded, value))
        case dict():
            raise ValueError(f"an object with the keys {list(value)}")
    return value
