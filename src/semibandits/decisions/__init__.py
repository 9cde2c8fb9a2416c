"""Decision sets: what may be played, and its oracles. One file a family."""
