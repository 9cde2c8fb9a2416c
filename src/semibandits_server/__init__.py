"""Learners in a database and over HTTP: storage, service, client and live page."""
