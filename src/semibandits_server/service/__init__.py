"""Learners over HTTP: ``semibandits serve`` and `create_app`. Only this folder imports FastAPI."""
