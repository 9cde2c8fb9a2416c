"""The families of decision sets: one module a family, with all that the rest of the library has to know of it.

A new family is a class in `decisions`, a module here, and its line in `registry`.
"""
