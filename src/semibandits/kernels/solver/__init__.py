"""The inner loops of bounds: separation, proofs, Newton systems, projections."""
