"""Compiled kernels: arrays in, arrays out, nothing imported from the rest of the library.

Each kernel has a slow twin in the tests.
"""

from semibandits.kernels import _cache as _cache
