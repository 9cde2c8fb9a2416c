"""Families of decision sets: one module per family, with everything the rest of the library needs to know about it.

A new family is a class in `decisions`, a module here, and its line in `registry`.
"""
