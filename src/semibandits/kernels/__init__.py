"""Kernels: arrays in, arrays out, nothing imported from the rest of the library.

They run as Python, or compiled once that pays, see `kernels.tiers`. Each has a slow twin in the tests.
"""
