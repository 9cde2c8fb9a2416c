"""Learners as plain JSON: the frame with its checksum, and all parts but the agent."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from semibandits._json import strict_json
from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._version import __version__
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.families.description import MOST_STATED, describe, digest, fingerprint, rebuild
from semibandits.families.labels import without_addresses
from semibandits.learning.history import MOST_ROUNDS
from semibandits.learning.options import NAMES
from semibandits.policies.base import Policy
from semibandits.policies.prior import Prior
from semibandits.policies.registry import POLICIES, build

JSON: TypeAlias = dict[str, Any]
FORMAT: Final = "semibandits.learner"
VERSION: Final = 3
"""Version of the format. Increase it with every change that older releases would misread, and keep reading older versions.

States without options have version 1, those with options 2, and those that list changed items only 3."""
PARTS: Final = (
    "decision_set", "policy", "variance", "generator", "statistics", "agent", "open_rounds", "next_id",
)  # fmt: skip


def sealed(content: JSON) -> JSON:
    """A copy of the content with format, versions, and a checksum of everything else.

    Raises
    ------
    InvalidInputError
        If the content is not plain JSON.
    """
    is_listed = "items" in content["statistics"]
    version = VERSION if is_listed else 2 if set(NAMES) & set(content) else 1  # older releases read what they can
    framed = {"format": FORMAT, "version": version, "library": __version__, **content}
    try:
        copy: JSON = strict_json(json.dumps(framed, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"the state must be plain JSON, got {error}: fix state() of the agent or specification() of the policy"
        ) from error
    return {**copy, "checksum": digest(copy)}


def opened(state: object) -> JSON:
    """A validated copy of the content of `sealed`.

    Raises
    ------
    InvalidInputError
        If `state` is not the state of a learner, has a newer version, or is damaged.
    """
    if not isinstance(state, Mapping):
        raise InvalidInputError(
            f"state must be a return value of Learner.state(), got {type(state).__name__}: read JSON text with json.loads first"
        )
    if state.get("format") != FORMAT:
        raise InvalidInputError(
            f"state must have the format {FORMAT!r}, got {state.get('format')!r}: pass a return value of Learner.state()"
        )
    version = state.get("version")
    if type(version) is not int or version < 1:
        raise InvalidInputError(f"version must be a positive integer, got {version!r}: the state is damaged, use a copy")
    if version > VERSION:
        raise InvalidInputError(
            f"version must be at most {VERSION}, got {version}, written by semibandits {state.get('library')}: "
            f"this is semibandits {__version__}, install a newer one"
        )
    try:
        content: JSON = strict_json(
            json.dumps({key: value for key, value in state.items() if key != "checksum"}, allow_nan=False)
        )
        checksum = digest(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"state must be plain JSON, got {error}: pass a return value of Learner.state()") from error
    if state.get("checksum") != checksum:
        raise InvalidInputError(
            f"the checksum of the state must be {checksum}, got {state.get('checksum')!r}: the state was changed or damaged, "
            "use a copy"
        )
    missing = [part for part in PARTS if part not in content]
    if missing:
        raise InvalidInputError(f"state must hold {', '.join(PARTS)}, got one without {', '.join(missing)}: use a copy")
    return content


def decision_set_state(decision_set: DecisionSet) -> JSON:
    """Type, fingerprint and description of a decision set; if it has no description, the reason."""
    name = {"type": type(decision_set).__name__, "fingerprint": fingerprint(decision_set)}
    try:
        return {**name, "description": describe(decision_set)}
    except UnsupportedError as error:
        return {**name, "description": None, "reason": str(error)}


def prior_state(prior: Prior, *, changes_only: bool) -> JSON:
    """The prior of a learner; if `changes_only`, one number where all items have the same."""
    means, plays = (
        values[0].item() if changes_only and np.ptp(values) == 0.0 else values.tolist() for values in (prior.means, prior.plays)
    )
    return {"means": means, "plays": plays}


def statistics_state(plays: FloatArray, sums: FloatArray, *, changes_only: bool) -> JSON:
    """Plays and sums of rewards; if `changes_only`, of the items that were played."""
    if not changes_only:
        return {"plays": plays.tolist(), "sums": sums.tolist()}
    items = np.flatnonzero(plays)
    return {"d": len(plays), "items": items.tolist(), "plays": plays[items].tolist(), "sums": sums[items].tolist()}


def stored_prior(state: Any) -> dict[str, Any]:
    """Arguments of `Learner` for the prior of a state; none if there is no prior.

    Raises
    ------
    InvalidInputError
        If it has no means or plays.
    """
    if state is None:
        return {}
    state = _mapping(state, "prior", ("means", "plays"))
    return {"prior_means": state["means"], "prior_plays": state["plays"]}


def stored_size(state: Any) -> int:
    """Number of items in the statistics of a state.

    Raises
    ------
    InvalidInputError
        If the plays are not a list.
    """
    statistics = _mapping(state, "statistics", ("plays", "sums"))
    if "d" in statistics:
        return stored_integer(statistics["d"], "d")
    plays = statistics["plays"]
    if not isinstance(plays, list):
        raise InvalidInputError(f"plays must be a list, got {reprlib.repr(plays)}: the state is damaged, use a copy")
    return len(plays)


def stored_decision_set(state: Any, own: DecisionSet | None, d: int) -> DecisionSet:
    """The decision set of a state, over `d` items: `own` after validation, or rebuilt if that is None.

    Raises
    ------
    InvalidInputError
        If `own` is another decision set, or is None although the set cannot be rebuilt.
    """
    state = _mapping(state, "decision_set", ("type", "fingerprint", "description"))
    if own is not None and not isinstance(own, DecisionSet):
        raise InvalidInputError(f"decision_set must be a DecisionSet, got {type(own).__name__}: pass the set of the learner")
    if own is None and state["description"] is None:
        raise InvalidInputError(f"decision_set must be passed for a state on a {state['type']}, got None: {state.get('reason')}")
    if own is None and d > MOST_STATED:
        raise InvalidInputError(
            f"decision_set must be passed for a state of more than {MOST_STATED:,} items, got None and {d:,} items: pass the "
            "decision set of the learner"
        )
    decision_set = rebuild(state["description"], d) if own is None else own
    found = fingerprint(decision_set)
    if found != state["fingerprint"]:
        raise InvalidInputError(
            f"decision_set must be the {state['type']} with fingerprint {state['fingerprint']}, got the "
            f"{type(decision_set).__name__} with {found}: pass the decision set of the learner"
        )
    return decision_set


def is_rebuilt(state: Mapping[str, Any]) -> bool:
    """Whether the decision set and the policy of a state can be rebuilt from it; if not, the caller must pass them."""
    own_set = _mapping(state["decision_set"], "decision_set", ("description",))["description"] is None
    return not own_set and _own_part(_mapping(state["policy"], "policy", ("built_in", "specification"))) is None


def _own_part(policy: Mapping[str, Any]) -> str | None:
    """What of a policy is the user's own, "it" or "its law"; None if it is one of the library."""
    specification = policy["specification"]
    if isinstance(specification, Mapping) and isinstance(specification.get("law"), str):
        return "its law"
    return None if policy["built_in"] is True else "it"


def policy_state(policy: Policy) -> JSON:
    """Specification of a policy, and whether the policy can be rebuilt from it."""
    return {"built_in": type(policy) in POLICIES, "specification": _specification(policy)}


def stored_policy(state: Any, own: Policy | None) -> Policy:
    """The policy of a state: `own` after validation, or rebuilt if that is None.

    Raises
    ------
    InvalidInputError
        If `own` is another policy, or is None although the policy cannot be rebuilt.
    """
    state = _mapping(state, "policy", ("built_in", "specification"))
    wanted = state["specification"]
    if own is None:
        what = _own_part(state)
        if what is None:
            return build(wanted)
        raise InvalidInputError(f"policy must be passed for a state of {wanted}, got None: {what} is not one of the library")
    if not isinstance(own, Policy):
        raise InvalidInputError(f"policy must be a Policy, got {type(own).__name__}: pass the policy of the learner")
    if policy_state(own) != state:
        got = _specification(own)
        if isinstance(wanted, Mapping) and isinstance(got, Mapping) and wanted.get("name") == got.get("name"):
            changed = [key for key in {**wanted, **got} if wanted.get(key) != got.get(key)]
            wanted, got = ({key: one.get(key) for key in changed} for one in (wanted, got))
        raise InvalidInputError(f"policy must have the specification {wanted}, got {got}: pass the policy of the learner")
    return own


def _specification(policy: Policy) -> Any:
    try:
        text = json.dumps(policy.specification(), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"the specification of {policy.name} must be plain JSON, got {error}: fix it") from error
    return json.loads(without_addresses(text))


def generator_state(rng: np.random.Generator) -> JSON:
    """State of a PCG64, with 128-bit integers as text."""
    state: Any = rng.bit_generator.state
    inner = {name: str(state["state"][name]) for name in ("state", "inc")}
    return {"bit_generator": "PCG64", **inner, "has_uint32": int(state["has_uint32"]), "uinteger": int(state["uinteger"])}


def stored_generator(state: Any) -> np.random.Generator:
    """A generator with this state.

    Raises
    ------
    InvalidInputError
        If it is not the state of a PCG64.
    """
    state = _mapping(state, "generator", ("bit_generator", "state", "inc", "has_uint32", "uinteger"))
    big = [state["state"], state["inc"]]
    texts = all(isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= 39 for text in big)
    flag, spare = state["has_uint32"], state["uinteger"]
    small = type(flag) is int and type(spare) is int and flag in (0, 1) and 0 <= spare < 2**32
    if state["bit_generator"] != "PCG64" or not texts or not small:
        raise InvalidInputError(
            f"generator must be the state of a PCG64, got {reprlib.repr(state)}: the state is damaged, use a copy"
        )
    position, increment = (int(text) for text in big)
    if max(position, increment) >= 2**128 or increment % 2 == 0:
        raise InvalidInputError(
            f"generator must hold integers below 2^128, got {reprlib.repr(state)}: the state is damaged, use a copy"
        )
    bits = np.random.PCG64(0)
    bits.state = {"bit_generator": "PCG64", "state": {"state": position, "inc": increment}, "has_uint32": flag, "uinteger": spare}
    return np.random.Generator(bits)


def stored_statistics(state: Any, d: int) -> tuple[FloatArray, FloatArray]:
    """Number of observed rewards of each item, and their sums.

    Raises
    ------
    InvalidInputError
        If they are not one count and one finite sum per item.
    """
    state = _mapping(state, "statistics", ("plays", "sums"))
    items = _listed_items(state, d) if "items" in state else np.arange(d)
    arrays = []
    for name in ("plays", "sums"):
        values = state[name]
        if not isinstance(values, list) or len(values) != len(items) or not all(type(v) in (int, float) for v in values):
            raise InvalidInputError(
                f"{name} must be {len(items)} numbers, got {reprlib.repr(values)}: the state is damaged, use a copy"
            )
        array = np.zeros(d)
        array[items] = values
        arrays.append(array)
    plays, sums = arrays
    counts = (plays >= 0) & (plays <= MOST_ROUNDS) & (plays == np.floor(plays))
    if not counts.all() or not np.isfinite(sums).all() or sums[plays == 0].any():
        raise InvalidInputError(
            f"plays must be counts up to 2**53 and sums finite, 0 if plays is 0, got {reprlib.repr(state)}: the state is "
            "damaged, use a copy"
        )
    return plays, sums


def _listed_items(state: Mapping[str, Any], d: int) -> IntArray:
    """The items that a state lists."""
    items = state["items"]
    is_valid = isinstance(items, list) and all(type(item) is int and 0 <= item < d for item in items)
    if not is_valid or state.get("d") != d or items != sorted(set(items)):
        raise InvalidInputError(
            f"items must be ascending and below d = {d}, got {reprlib.repr(items)}: the state is damaged, use a copy"
        )
    return np.array(items, dtype=np.int64)


def stored_integer(value: Any, name: str) -> int:
    """The value, if it is a count.

    Raises
    ------
    InvalidInputError
        If it is not an integer from 0 to 2^53.
    """
    if type(value) is not int or not 0 <= value <= MOST_ROUNDS:
        raise InvalidInputError(f"{name} must be an integer from 0 to 2**53, got {value!r}: the state is damaged, use a copy")
    return value


def round_state(number: int, decision: BoolArray, decision_set: DecisionSet) -> JSON:
    """Id and items of an open round; the key `replaced` marks decisions of a set that was replaced since."""
    state = {"id": number, "items": np.flatnonzero(decision).tolist()}
    return state if decision in decision_set else {**state, "replaced": True}


def stored_decision(state: Any, decision_set: DecisionSet) -> tuple[int, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Id and decision of an open round.

    Raises
    ------
    InvalidInputError
        If the state has no id, or its items are not a decision.
    """
    state = _mapping(state, "each of open_rounds", ("id", "items"))
    number, items, d = stored_integer(state["id"], "the id of a round"), state["items"], decision_set.d
    x = np.zeros(d, dtype=np.bool_)
    if isinstance(items, list) and all(type(item) is int and 0 <= item < d for item in items):
        x[items] = True
        if len(set(items)) == len(items) and (state.get("replaced") is True or x in decision_set):
            return number, x
    raise InvalidInputError(
        f"items of round {number} must be those of a decision, got {items!r}: the state is damaged, use a copy"
    )


def _mapping(state: Any, name: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(state, Mapping) or not set(keys) <= set(state):
        raise InvalidInputError(
            f"{name} must hold {', '.join(keys)}, got {reprlib.repr(state)}: the state is damaged, use a copy"
        )
    return state
