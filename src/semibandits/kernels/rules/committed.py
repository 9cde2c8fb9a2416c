"""Rule that plays one decision."""

from __future__ import annotations

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.rules.actions import PLAY
from semibandits.kernels.rules.records import Request, RuleState


@kernel(error_model="numpy")
def committed(t: int, state: RuleState, request: Request) -> int:
    """Play the decision in the first row."""
    write(request.x, state.rows[0])
    return PLAY
