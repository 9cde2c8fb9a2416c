"""Refused budgets of the search for the largest index."""

import semibandits as sb


def search_index(most):
    return sb.MSets(3, 1).search_index([1, 2, 3], [1, 1, 1], most=most)


MOST = "most must be an integer >= 1"
CALLS = [
    (lambda: search_index(0), MOST),
    (lambda: search_index(1.5), MOST),
    (lambda: search_index(True), MOST),
    (lambda: search_index("many"), MOST),
]
