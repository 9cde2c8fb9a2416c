"""Limits of the searches behind P_IM."""

from semibandits.kernels.typing import runtime_constant

MAX_LABELS = runtime_constant(5_000_000)
"""Labels of partial decisions: each takes 32 to 64 bytes."""
MAX_NODES = runtime_constant(1_000_000_000)
"""Nodes of the depth-first search that goes on when labels fill their memory: tens of seconds."""
