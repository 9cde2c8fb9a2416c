"""Rule that plays decisions in turn."""

from __future__ import annotations

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.rules.actions import PLAY
from semibandits.kernels.rules.records import Request, RuleState


@kernel(error_model="numpy")
def committed(t: int, state: RuleState, request: Request) -> int:
    """Play the decisions of the rows, one after the other."""
    write(request.x, state.rows[(t - 1) % len(state.rows)])
    return PLAY
