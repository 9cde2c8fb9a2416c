"""Learners in a database: a journal of calls and snapshots of the state, shared by processes and threads."""
