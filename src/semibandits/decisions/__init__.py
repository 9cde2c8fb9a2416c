"""Decision sets and their oracles, one file per family."""
