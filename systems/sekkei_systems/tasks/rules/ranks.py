"""Places between places: strings that sort by hand, so that moving one card writes one card."""

from __future__ import annotations

DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
"""In the order of their bytes. Ids of tasks are such strings too, and none of them ends in the lowest digit: between
two that do not, there is always room."""
RANK_MAX = 500
"""Six cards in the very same gap make a rank one digit longer."""


def between(low: str, high: str | None) -> str:
    """A string after `low` and before `high`; "" is the beginning, None the end."""
    if high is not None and low >= high:
        raise ValueError("there is no room between what is not in order")
    same = 0
    if high is not None:
        while same < len(high) and _digit(low, same) == _digit(high, same):
            same += 1
    prefix, low, high = (high or "")[:same], low[same:], None if high is None else high[same:]
    first, last = _digit(low, 0), len(DIGITS) if high is None else _digit(high, 0)
    if last - first > 1:
        return prefix + DIGITS[(first + last) // 2]
    if high is not None and len(high) > 1:
        return prefix + high[0]
    return prefix + DIGITS[first] + between(low[1:], None)


def _digit(text: str, at: int) -> int:
    return DIGITS.index(text[at]) if at < len(text) else 0
