"""Kernels take and return arrays and scalars, and import nothing from the rest of the library.

They run as Python until compiling them pays, see `kernels.tiers`. The tests contain a slow twin of each.
"""
