"""What people enter, checked: texts within their limits, dates that follow each other, colours that can be read."""

from __future__ import annotations

import re
from datetime import date

from sekkei.kit.text import many_lines, one_line
from sekkei.runtime.refusals import Invalid
from sekkei_systems.tasks.refusals import BadDates, BadText

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
"""9999-12-31 stands for "no date" in the sort keys."""


class BadColor(Invalid):
    """Not #rrggbb."""


class BadDay(Invalid):
    """Too long ago or too far ahead."""


def line_of(text: str, most: int, field: str) -> str:
    """One line, not empty."""
    found = one_line(text)
    if not 1 <= len(found) <= most:
        raise BadText(field=field, most=most)
    return found


def text_of(text: str, most: int, field: str) -> str:
    """Any number of lines, perhaps none."""
    found = many_lines(text)
    if len(found) > most:
        raise BadText(field=field, most=most)
    return found


def check_dates(start: date | None, end: date | None) -> None:
    for name, day in (("start", start), ("end", end)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            raise BadDay(field=name)
    if start is not None and end is not None and end < start:
        raise BadDates(field="end")


def color_of(background: str) -> tuple[str, str]:
    """A text colour that can be read on the background, and the background."""
    if not _COLOR.fullmatch(background):
        raise BadColor(field="color")
    white = contrast_with_white(background)
    return ("#ffffff" if white >= 21 / white else "#000000"), background.lower()


def contrast_with_white(color: str) -> float:
    """WCAG's contrast ratio. With black it is 21 divided by this, so one of the two is always above 4.5."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)
