"""Learners as plain JSON: the frame with its checksum, and all parts but the agent."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits._version import __version__
from semibandits.decisions.base import DecisionSet, check_decision_set
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.families.description import MOST_STATED, describe, digest, fingerprint, rebuild
from semibandits.families.labels import decode_labels, encode_labels, without_addresses
from semibandits.formats.json import strict_json
from semibandits.inputs.outcomes import whole_number
from semibandits.learning.expecting import Expecting, reading
from semibandits.learning.history import MOST_ROUNDS
from semibandits.learning.options import NAMES
from semibandits.learning.round import Round
from semibandits.policies.base import Policy, check_policy
from semibandits.policies.prior import Prior
from semibandits.policies.registry import POLICIES, build

JSON: TypeAlias = dict[str, Any]
FORMAT: Final = "semibandits.learner"
VERSION: Final = 4
"""Version of the format. Increase it with every change that older releases would misread, and keep reading older versions.

States without options have version 1, those with options 2, those that list changed items only 3, and those with features 4."""
PARTS: Final = (
    "decision_set", "policy", "variance", "generator", "statistics", "agent", "open_rounds", "next_id",
)  # fmt: skip


def sealed(content: JSON) -> JSON:
    """A copy of the content, which must be plain JSON, with format, versions, and a checksum of everything else."""
    is_listed = "items" in content["statistics"]
    # Older releases read what they can.
    version = VERSION if "features" in content else 3 if is_listed else 2 if set(NAMES) & set(content) else 1
    framed = {"format": FORMAT, "version": version, "library": __version__, **content}
    with Expecting("the state must be plain JSON", "fix state() of the agent or specification() of the policy"):
        copy: JSON = strict_json(json.dumps(framed, allow_nan=False))
    return {**copy, "checksum": digest(copy)}


def opened(state: object) -> JSON:
    """A validated copy of the content of `sealed`; damaged states, and those of newer versions, are refused."""
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
    with Expecting("state must be plain JSON", "pass a return value of Learner.state()"):
        text = json.dumps({key: value for key, value in state.items() if key != "checksum"}, allow_nan=False)
        content: JSON = strict_json(text)
        checksum = digest(content)
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
    """Arguments of `Learner` for the prior of a state; none if there is no prior."""
    if state is None:
        return {}
    with reading("prior"):
        return {"prior_means": state["means"], "prior_plays": state["plays"]}


def stored_size(state: Any) -> int:
    """Number of items in the statistics of a state."""
    with reading("statistics"):
        return stored_integer(state["d"], "d") if "d" in state else len(state["plays"])


def stored_decision_set(state: Any, own: DecisionSet | None, d: int) -> DecisionSet:
    """The decision set of a state, over `d` items: `own` after validation, or rebuilt if that is None. `own` must be given if the
    set cannot be rebuilt, or has more than `MOST_STATED` items.
    """
    with reading("decision_set"):
        name, wanted, description = state["type"], state["fingerprint"], state["description"]
    if own is not None:
        check_decision_set(own, "pass the set of the learner")
    if own is None and description is None:
        raise InvalidInputError(f"decision_set must be passed for a state on a {name}, got None: {state.get('reason')}")
    if own is None and d > MOST_STATED:
        raise InvalidInputError(
            f"decision_set must be passed for a state of more than {MOST_STATED:,} items, got None and {d:,} items: pass the "
            "decision set of the learner"
        )
    decision_set = rebuild(description, d) if own is None else own
    found = fingerprint(decision_set)
    if found != wanted:
        raise InvalidInputError(
            f"decision_set must be the {name} with fingerprint {wanted}, got the {type(decision_set).__name__} with {found}: "
            "pass the decision set of the learner"
        )
    return decision_set


def is_rebuilt(state: Mapping[str, Any]) -> bool:
    """Whether the decision set and the policy of a state can be rebuilt from it; if not, the caller must pass them."""
    with reading("specification"):
        return state["decision_set"]["description"] is not None and _own_part(state["policy"]) is None


def _own_part(policy: Mapping[str, Any]) -> str | None:
    """What of a policy is the user's own, "it" or "its law"; None if it is one of the library."""
    specification, is_built_in = policy["specification"], policy["built_in"] is True
    if isinstance(specification, Mapping) and isinstance(specification.get("law"), str):
        return "its law"
    return None if is_built_in else "it"


def policy_state(policy: Policy) -> JSON:
    """Specification of a policy, and whether the policy can be rebuilt from it."""
    return {"built_in": type(policy) in POLICIES, "specification": _specification(policy)}


def stored_policy(state: Any, own: Policy | None) -> Policy:
    """The policy of a state: `own` after validation; if that is None, it is rebuilt, but only if it is of the library."""
    with reading("policy"):
        wanted, what = state["specification"], _own_part(state)
    if own is None:
        if what is None:
            return build(wanted)
        raise InvalidInputError(f"policy must be passed for a state of {wanted}, got None: {what} is not one of the library")
    check_policy(own, "pass the policy of the learner")
    if policy_state(own) != state:
        got = _specification(own)
        if isinstance(wanted, Mapping) and isinstance(got, Mapping) and wanted.get("name") == got.get("name"):
            changed = [key for key in {**wanted, **got} if wanted.get(key) != got.get(key)]
            wanted, got = ({key: one.get(key) for key in changed} for one in (wanted, got))
        raise InvalidInputError(f"policy must have the specification {wanted}, got {got}: pass the policy of the learner")
    return own


def _specification(policy: Policy) -> Any:
    with Expecting(f"the specification of {policy.name} must be plain JSON", "fix it"):
        return json.loads(without_addresses(json.dumps(policy.specification(), allow_nan=False)))


def generator_state(rng: np.random.Generator) -> JSON:
    """State of a PCG64, with 128-bit integers as text."""
    state: Any = rng.bit_generator.state
    inner = {name: str(state["state"][name]) for name in ("state", "inc")}
    return {"bit_generator": "PCG64", **inner, "has_uint32": int(state["has_uint32"]), "uinteger": int(state["uinteger"])}


def stored_generator(state: Any) -> np.random.Generator:
    """A generator with this state, which must be that of a PCG64."""
    with reading("generator"):
        inner = {name: int(state[name]) for name in ("state", "inc")}
        flag, spare = (stored_integer(state[name], name) for name in ("has_uint32", "uinteger"))
        bits = np.random.PCG64(0)
        bits.state = {"bit_generator": "PCG64", "state": inner, "has_uint32": flag, "uinteger": spare}  # type: ignore[typeddict-item]
        rng = np.random.Generator(bits)
        if inner["inc"] % 2 == 0 or flag > 1 or generator_state(rng) != state:
            raise ValueError(reprlib.repr(state))
    return rng


def stored_statistics(state: Any, d: int) -> tuple[FloatArray, FloatArray]:
    """Number of observed rewards of each item, and their sums, which are finite; shape (d,) each."""
    plays, sums = np.zeros(d), np.zeros(d)
    with reading("statistics"):
        is_listed = "items" in state
        items = _items(state["items"], d) if is_listed else np.arange(d)
        for array, values in ((plays, state["plays"]), (sums, state["sums"])):
            if len(values) != len(items) or not set(map(type, values)) <= {int, float}:
                raise ValueError(f"other plays or sums than {len(items)} numbers")
            array[items] = values
        is_count = (plays >= 0) & (plays <= MOST_ROUNDS) & (plays == np.floor(plays))
        if not is_count.all() or not np.isfinite(sums).all() or sums[plays == 0].any() or (is_listed and state["d"] != d):
            raise ValueError("plays that are no counts up to 2**53, or sums that are infinite or not 0 where plays are")
    return plays, sums


def _items(values: Any, d: int) -> IntArray:
    """Ascending indices of items."""
    if any(type(item) is not int or not 0 <= item < d for item in values) or values != sorted(set(values)):
        raise ValueError(f"items that are not ascending integers below d = {d}")
    return np.array(values, dtype=np.int64)


def stored_integer(value: Any, name: str) -> int:
    """The value, which must be an integer from 0 to 2^53."""
    return whole_number(value, name, most=MOST_ROUNDS, remedy="the state is damaged, use a copy")


def round_state(asked: Round, decision_set: DecisionSet, *, drawn: bool) -> JSON:
    """Id and items of an open round, and their probabilities if these were drawn; the key `replaced` marks decisions that are
    not in the set, since it replaced another one or some items were not available.
    """
    state: JSON = {"id": asked.id, "items": asked.items.tolist()}
    if drawn and asked.probabilities is not None:
        state["probabilities"] = asked.probabilities.tolist()
    if asked.gone is not None:
        state["gone"] = encode_labels(asked.gone)
    return state if asked.decision in decision_set else {**state, "replaced": True}


def stored_round(state: Any, decision_set: DecisionSet, sure: Callable[[int], FloatArray | None]) -> Round:
    """An open round; its probabilities are those of `sure` if none are stored."""
    x = np.zeros(decision_set.d, dtype=np.bool_)
    with reading("each of open_rounds"):
        number = stored_integer(state["id"], "id")
        x[_items(state["items"], decision_set.d)] = True
        if state.get("replaced") is not True and x not in decision_set:
            raise ValueError(f"items that are no decision in round {number}")
        items = np.flatnonzero(x)
        drawn = stored_probabilities(state.get("probabilities"), len(items))
        gone = tuple(decode_labels(state["gone"])) if "gone" in state else None
    return Round.of_items(number, items, decision_set.items, sure(len(items)) if drawn is None else drawn, gone)


def stored_probabilities(values: Any, count: int) -> FloatArray | None:
    """The probabilities of so many items of a round, in (0, 1]; None if they are not stored. Others raise `ValueError`."""
    if values is None:
        return None
    numbers = np.array(values, dtype=np.float64)
    if numbers.shape != (count,) or not ((numbers > 0.0) & (numbers <= 1.0)).all():
        raise ValueError(f"other probabilities than {count} numbers from 0 to 1")
    return numbers
