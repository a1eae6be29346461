"""A simulated hour as a drawing: requests asked, served and throttled above, partitions of each place below.

It has a title and a description for those who do not see it, and no script. `currentColor` and the variables
`--plot-asked`, `--plot-served`, `--plot-throttled` follow the page it stands in; a file of its own brings both themes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from sekkei.advice.heat import Outcome, Report

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT = 56, 12
_ABOVE, _BELOW = (34, 200), (248, 332)
"""From where to where the two panels reach, from the top down."""
_DASHES = ("none", "7 3", "2 3", "9 3 2 3")
"""They tell lines apart where colours do not."""
_NOTEWORTHY = 0.005
"""Throttling is marked from this share of what is asked."""
PLACES_MAX = len(_DASHES)
COLOURS = {"asked": "currentColor", "served": "#2f8f5b", "throttled": "#d2453b"}
"""Green and red stand out from white and from black alike."""
_THEMES = "<style>:root{color:#1f1f1f}@media (prefers-color-scheme:dark){:root{color:#e3e3e3}}</style>"


class Words(NamedTuple):
    """What is written in the drawing."""

    title: str = "Requests and partitions, minute by minute"
    requests: str = "requests/s"
    asked: str = "asked"
    served: str = "served"
    throttled: str = "throttled"
    partitions: str = "partitions"
    minutes: str = "{minutes} min"
    calm: str = "{asked} requests a second are asked, and all are served."
    hot: str = "{asked} requests a second are asked; at worst {throttled} of them are throttled, at the end {last}."
    grows: str = "{place}: from {first} to {last} partitions."


ENGLISH = Words()


def plot(report: Report, words: Words = ENGLISH, *, standalone: bool = True) -> str:
    """SVG of a simulation. Within a page, `standalone=False`: the page says what is light and what is dark."""
    shown = _places(report.outcomes.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui,sans-serif" font-size="11" fill="none">',
        f"<title>{escape(words.title)}</title><desc>{escape(_described(report, shown, words))}</desc>",
        _THEMES if standalone else "",
        *_first_throttled(report),
        *_requests(report, words),
        *_partitions(shown, words),
        *_minutes(len(report.minutes), words),
    ]
    return "".join([*parts, "</svg>\n"])


def _places(found: Iterable[Outcome]) -> list[Outcome]:
    """The hottest first; of those that are alike, what has most partitions."""
    return sorted(found, key=lambda one: (-one.refused, -one.partitions, one.place))[:PLACES_MAX]


def _described(report: Report, shown: Sequence[Outcome], words: Words) -> str:
    most = max((minute.asked for minute in report.minutes), default=0.0)
    worst = max((minute.throttled for minute in report.minutes), default=0.0)
    last = report.minutes[-1].throttled if report.minutes else 0.0
    said = (words.hot if worst > 0 else words.calm).format(
        asked=_short(most), throttled=_short(worst), last=_short(last)
    )
    grown = [
        words.grows.format(place=one.place, first=f"{one.partitions_by_minute[0]:,}", last=f"{one.partitions:,}")
        for one in shown
        if one.partitions_by_minute
    ]
    return " ".join([said, *grown])


def _requests(report: Report, words: Words) -> Iterator[str]:
    highest = _round_up(max((minute.asked for minute in report.minutes), default=0.0))
    yield from _grid(_ABOVE, highest, words.requests)
    names = {"asked": words.asked, "served": words.served, "throttled": words.throttled}
    for number, (kind, colour) in enumerate(COLOURS.items()):
        values = [float(getattr(minute, kind)) for minute in report.minutes]
        ink = f'stroke="var(--plot-{kind},{colour})" stroke-width="2" stroke-dasharray="{_DASHES[number]}"'
        yield _line(values, highest, _ABOVE, ink)
        yield _legend(number, len(COLOURS), 16, names[kind], ink)


def _first_throttled(report: Report) -> Iterator[str]:
    """A line through both panels."""
    first = next(
        (at for at, minute in enumerate(report.minutes) if minute.throttled > minute.asked * _NOTEWORTHY), None
    )
    if first is not None:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (first + 0.5) / len(report.minutes)
        ink = f'stroke="var(--plot-throttled,{COLOURS["throttled"]})" stroke-dasharray="1 3"'
        yield f'<path {ink} d="M{x:.1f} {_ABOVE[0]}V{_BELOW[1]}"/>'


def _partitions(shown: Sequence[Outcome], words: Words) -> Iterator[str]:
    counts = [[*one.partitions_by_minute[1:], one.partitions] for one in shown]
    highest = _round_up(max((max(each) for each in counts), default=0))
    yield from _grid(_BELOW, highest, words.partitions)
    for number, (one, each) in enumerate(zip(shown, counts, strict=True)):
        ink = f'stroke="currentColor" stroke-width="1.5" stroke-dasharray="{_DASHES[number]}"'
        yield _line([float(count) for count in each], highest, _BELOW, ink)
        yield _legend(number, len(shown), 230, one.place, ink)


def _grid(panel: tuple[int, int], highest: float, name: str) -> Iterator[str]:
    for part in (0.0, 0.5, 1.0):
        y = _y(part, panel)
        yield f'<path stroke="currentColor" opacity=".2" d="M{LEFT} {y:g}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 6, y + 4, _short(highest * part), "end")
    yield _text(2, panel[0] - 18, name, "start")


def _minutes(minutes: int, words: Words) -> Iterator[str]:
    for at, anchor in ((0, "start"), (minutes, "end")):
        x = LEFT if at == 0 else WIDTH - RIGHT
        yield _text(x, HEIGHT - 10, words.minutes.format(minutes=at), anchor)


def _line(values: Sequence[float], highest: float, panel: tuple[int, int], ink: str) -> str:
    wide = (WIDTH - LEFT - RIGHT) / max(1, len(values))
    points = " ".join(
        f"{LEFT + wide * (at + 0.5):.1f},{_y(value / highest, panel):.1f}" for at, value in enumerate(values)
    )
    return f'<polyline {ink} points="{points}"/>'


def _legend(number: int, of: int, y: int, name: str, ink: str) -> str:
    """Side by side above a panel. Of a long name the middle is left out: an index is known by its end."""
    wide = (WIDTH - LEFT - 60 - RIGHT) // max(3, of)
    x, most = LEFT + 60 + number * wide, (wide - 30) // 6
    short = name if len(name) <= most else f"{name[: most // 3]}…{name[1 + most // 3 - most :]}"
    return f'<path {ink} d="M{x} {y - 4}h20"/>{_text(x + 25, y, short, "start")}'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _y(part: float, panel: tuple[int, int]) -> float:
    top, bottom = panel
    return bottom - (bottom - top) * min(1.0, max(0.0, part))


def _round_up(number: float) -> float:
    """The next of 1, 2, 5, 10 … for the top of an axis."""
    step = 1.0
    while True:
        for each in (1, 2, 5):
            if step * each >= number:
                return step * each
        step *= 10


def _short(number: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"
