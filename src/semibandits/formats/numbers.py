"""Numbers, amounts and brackets as text."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def counted(n: int, one: str, several: str) -> str:
    """``1 path``, ``1,442 paths``."""
    return f"{n:,} {one if n == 1 else several}"


def number_text(value: float, digits: int = 6) -> str:
    """A number with `digits` significant digits, thousands separators and a minus sign (−)."""
    if not math.isfinite(value):
        return "infinite"
    sign = "−" if value < 0 else ""
    return f"{sign}{abs(value):,.{digits}g}"


def amount(value: float, unit: str = "", digits: int = 4) -> str:
    """A number with `digits` significant digits, thousands separators and its unit."""
    if not math.isfinite(value):
        number = "infinite"
    else:
        size = abs(value)
        places = digits - 1 - math.floor(math.log10(size)) if size else 0
        rounded = round(size, places) if places > -300 else size
        if 1e-4 <= rounded < 1e15:
            number = f"{rounded:,.{max(places, 0)}f}"
            number = number.rstrip("0").rstrip(".") if "." in number else number
        else:
            number = f"{rounded:.{digits}g}"
        number = f"−{number}" if value < 0 and rounded else number
    return f"{number} {unit}" if unit else number


def mean_text(value: float, half: float) -> str:
    """A mean with half the width of its interval to the same decimal place; the mean alone if the width is unknown."""
    if not math.isfinite(half):
        return amount(value)
    if half <= 1e-12 * abs(value):
        return f"{amount(value)} ± 0"
    places = 1 - math.floor(math.log10(half))
    rounded = [round(number, places) + 0.0 for number in (value, half)]
    if not 1e-4 <= half < 1e15:
        return f"{amount(value)} ± {amount(half, digits=2)}"
    sign = "−" if rounded[0] < 0 else ""
    return f"{sign}{abs(rounded[0]):,.{max(places, 0)}f} ± {rounded[1]:,.{max(places, 0)}f}"


def bracket_text(lower: float, value: float, most: int = 6, symbol: str = "C(θ)") -> str:
    """``lower ≤ C(θ) ≤ value``, rounded outwards to six digits, or up to `most` until the ends differ by about their gap."""
    if lower == value:
        return f"{symbol} = {number_text(value)}"
    gap = (value - lower) / value if 0.0 < lower < value < math.inf else 1.0
    digits = min(max(6, 1 + math.floor(-math.log10(gap))), most)
    return f"{_rounded(lower, digits, ROUND_FLOOR)} ≤ {symbol} ≤ {_rounded(value, digits, ROUND_CEILING)}"


def _rounded(value: float, digits: int, rounding: str) -> str:
    """Significant digits, rounded down or up from the shortest text of the number."""
    if value == 0 or not math.isfinite(value):
        return number_text(value)
    last = math.floor(math.log10(abs(value))) + 1 - digits
    return number_text(float(Decimal(repr(float(value))).quantize(Decimal((0, (1,), last)), rounding)), digits)
