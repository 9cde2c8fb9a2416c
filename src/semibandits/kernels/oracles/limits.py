"""Limits of P_IM searches."""

from semibandits.kernels.typing import runtime_constant

MAX_LABELS = runtime_constant(5_000_000)
"""Largest number of labels of partial decisions, each of 32 to 64 bytes."""
MAX_NODES = runtime_constant(1_000_000_000)
"""Largest number of nodes of the depth-first search that continues when labels fill their memory: tens of seconds."""
