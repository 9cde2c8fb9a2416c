"""Tables for pandas, which is optional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from semibandits.errors import SemibanditsError

if TYPE_CHECKING:
    from pandas import DataFrame


def new_frame(columns: Mapping[str, Any]) -> DataFrame:
    """A frame with these columns.

    Raises
    ------
    SemibanditsError
        If pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise SemibanditsError("frames need pandas, which is not installed: run pip install pandas") from error
    return pandas.DataFrame(dict(columns))
