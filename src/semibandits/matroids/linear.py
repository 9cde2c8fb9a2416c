"""Linear matroids: linearly independent columns of a matrix."""

from __future__ import annotations

from typing import Literal, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import as_floats, number_in
from semibandits.kernels.matroids.elimination import WordArray, binary_exchanges, binary_greedy, real_greedy
from semibandits.matroids._checks import as_indices, check_bits
from semibandits.matroids.base import Matroid


@final
class Linear(Matroid):
    """Linearly independent columns of a matrix, over the reals or the field of two elements.

    Parameters
    ----------
    matrix : array_like of float, shape (r, d)
        One column per item. Over the field of two elements its entries are 0 and 1.
    field : None or 2
        None for the reals.
    tolerance : float
        Over the reals, a column depends on others if its distance from their span is at most this fraction of its own length;
        in [0, 1). Over the field of two elements, arithmetic is exact and the tolerance is ignored.

    Raises
    ------
    InvalidInputError
        If `matrix` is not a matrix of finite numbers (0 and 1 if ``field=2``), or `field` or `tolerance` is out of range.

    Notes
    -----
    Columns are scaled to length one first. Whether a distance near the tolerance counts as zero may depend on the order of the
    items, and the matroid axioms then hold only approximately: scale the data, or choose a tolerance well between the
    distances that represent zero and all others.

    Examples
    --------
    The columns of this matrix are independent over the reals. Modulo 2 their sum is zero:

    >>> matrix = [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    >>> sb.matroids.Linear(matrix).rank
    3
    >>> binary = sb.matroids.Linear(matrix, field=2)
    >>> binary.rank, binary.is_independent(np.array([0, 1, 2])), len(binary.bases())
    (2, False, 3)
    """

    def __init__(self, matrix: ArrayLike, field: Literal[2] | None = None, *, tolerance: float = 1e-9) -> None:
        array = as_floats(matrix, "matrix")
        if array.ndim != 2:
            raise InvalidInputError(f"matrix must have shape (r, d), got {array.shape}: pass one column per item")
        if field is not None and (isinstance(field, bool) or field != 2):
            raise InvalidInputError(f"field must be None (the reals) or 2, got {field!r}: other fields are not available")
        self._shape = array.shape
        self._field = field
        self._tolerance = number_in(tolerance, "tolerance", 0.0, 1.0, "use 1e-9 for well-scaled columns", ends="[)")
        if field is None:
            # Columns, as rows, are scaled to length one, except zero ones; first by the largest entry, to avoid overflow.
            scaled = array.T / _or_one(np.abs(array.T).max(axis=1, initial=0.0))
            self._vectors = np.ascontiguousarray(scaled / _or_one(np.linalg.norm(scaled, axis=1)))
        else:
            self._words = _pack_rows(array.T)

    def __repr__(self) -> str:
        return f"Linear(matrix of shape {self._shape}, field={self._field})"

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self._shape[1])

    def is_independent(self, indices: IntArray) -> bool:
        """Whether the columns `indices` are linearly independent."""
        return int(self.greedy(indices).sum()) == len(indices)

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each column outside the span of the kept columns; bool, shape (d,)."""
        order = as_indices(order, self.d, "order")
        if self._field is None:
            return real_greedy(self._vectors, order, self._tolerance)
        return binary_greedy(self._words, order)

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one column; see :meth:`Matroid.exchanges`."""
        members = as_indices(members, self.d, "members")
        if self._field is None:
            return self._real_exchanges(members)
        return binary_exchanges(self._words, members)

    @property
    def exchange_steps(self) -> int:
        """Approximate number of elementary steps for one call of `greedy` and one of `exchanges`, for a basis."""
        length: int = self._shape[0] + self.rank if self._field is None else self._words.shape[1]
        return self.rank * self.d * length

    def _real_exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Compare the distances of all columns z from span(S) and from the span of S without each member with the tolerance.

        If z lies in span(S), the second distance is its component along the direction of span(S) normal to the other members.
        """
        outside = np.ones(self.d, dtype=np.bool_)
        outside[members] = False
        q, r = np.linalg.qr(self._vectors[members].T)  # S = q r
        along = q.T @ self._vectors.T
        free = np.linalg.norm(self._vectors.T - q @ along, axis=0) > self._tolerance
        normals = np.linalg.inv(r)  # row a: normal to the members other than a, in the coordinates of q
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        swaps = np.abs(normals @ along) > self._tolerance
        return free & outside, (swaps | free) & outside


def _or_one(lengths: FloatArray) -> FloatArray:
    """Divisors for rows of these lengths, as a column; 1 for zero rows."""
    return np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]


def _pack_rows(rows: FloatArray) -> WordArray:
    """Rows of 0/1 numbers as packed 64-bit words."""
    check_bits(rows.T, "reduce it modulo 2, or leave out field=2")
    d, r = rows.shape
    padded = np.zeros((d, -(-r // 64) * 64), dtype=np.bool_)
    padded[:, :r] = rows != 0
    return np.packbits(padded, axis=1).view(np.uint64)
