"""Tables for pandas, which is optional, and what is known of its objects without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from semibandits.errors import SemibanditsError

if TYPE_CHECKING:
    from pandas import DataFrame


def has_index(values: object) -> bool:
    """Whether this is a Series of pandas or alike: entries with an index of labels."""
    return all(hasattr(values, name) for name in ("reindex", "index", "to_numpy")) and getattr(values, "ndim", 0) == 1


def numbers_rows(index: Any) -> bool:
    """Whether an index is 0, 1, ..., which pandas gives to rows without labels."""
    return list(index) == list(range(len(index)))


def new_frame(columns: Mapping[str, Any]) -> DataFrame:
    """A frame with these columns. It needs pandas, which may be absent."""
    try:
        import pandas
    except ImportError as error:
        raise SemibanditsError("frames need pandas, which is not installed: run pip install pandas") from error
    return pandas.DataFrame(dict(columns))
