"""Families of decision sets: one module per family, with everything the rest of the library needs to know about it.

To add a family, define its class in `decisions`, add a module here, and register it in `registry`.
"""
