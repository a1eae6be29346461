"""How often and how many, as people write them: `50/s`, `0.5/s`, `1M/day`; `2000`, `10M`."""

from __future__ import annotations

_SCALES = {"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
_SECONDS = {"s": 1, "min": 60, "h": 3_600, "day": 86_400, "month": 730 * 3_600}


def rate_of(text: str) -> float:
    """`50/s`, `30/min`, `2k/h`, `1M/day`: calls a second."""
    number, _, unit = text.partition("/")
    if unit not in _SECONDS:
        raise ValueError(f"{text!r} is no rate: write 50/s, 30/min, 2000/h or 1M/day")
    return _number(number) / _SECONDS[unit]


def count_of(text: str) -> int:
    return round(_number(text))


def _number(text: str) -> float:
    scale = text[-1:] if text[-1:] in _SCALES else ""
    try:
        number = float(text.removesuffix(scale))
    except ValueError:
        raise ValueError(f"{text!r} is no number: write 2000, 50k, 10M or 2G") from None
    if number < 0 or number != number or number == float("inf"):
        raise ValueError(f"{text!r} is no number of anything")
    return number * _SCALES[scale]
