"""Heat over time as a drawing: what was refused, minute by minute, a line for each table and index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 14, 28
COLOURS = (("#b3261e", "#ffb4ab"), ("#1d5fb4", "#a8c7fa"), ("#8a5a00", "#f2c14e"), ("#1b6e3c", "#8fd6a8"))
"""Light and dark, in turn; a dash tells lines apart where colours do not."""
DASHES = ("none", "6 3", "2 3", "8 3 2 3")
LINES_MAX = len(COLOURS)
TEXT = "text{font:11px system-ui,sans-serif;fill:currentColor;stroke:none}"


def svg(shares: Mapping[str, Sequence[float]], title: str = "Refused calls, by the minute") -> str:
    """Shares from 0 to 1 by place; the hottest places are drawn. It follows the reader's light or dark theme."""
    hottest = sorted(shares, key=lambda name: -sum(shares[name]))[:LINES_MAX]
    minutes = max((len(shares[name]) for name in hottest), default=1)
    parts = [_head(title), *_grid(minutes)]
    for number, name in enumerate(hottest):
        parts.append(_line(number, shares[name], minutes))
        parts.append(_label(number, name))
    return "".join([*parts, "</svg>\n"])


def _head(title: str) -> str:
    lights = "".join(f".h{n}{{stroke:{light};fill:{light}}}" for n, (light, _) in enumerate(COLOURS))
    darks = "".join(f".h{n}{{stroke:{dark};fill:{dark}}}" for n, (_, dark) in enumerate(COLOURS))
    style = f"{TEXT}.g{{stroke:currentColor;opacity:.2}}{lights}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" color="#1f1f1f">'
        f"<title>{escape(title)}</title><style>{style}"
        f"@media (prefers-color-scheme:dark){{svg{{color:#e3e3e3}}{darks}}}</style>"
    )


def _grid(minutes: int) -> list[str]:
    found = []
    for share in (0.0, 0.5, 1.0):
        y = _y(share)
        found.append(f'<path class="g" d="M{LEFT} {y:g}H{WIDTH - RIGHT}"/>')
        found.append(f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{share:.0%}</text>')
    for at, anchor in ((0, "start"), (minutes, "end")):
        found.append(f'<text x="{_x(at, minutes):g}" y="{HEIGHT - 10}" text-anchor="{anchor}">{at} min</text>')
    return found


def _line(number: int, values: Sequence[float], minutes: int) -> str:
    points = " ".join(f"{_x(at + 0.5, minutes):.1f},{_y(min(1.0, value)):.1f}" for at, value in enumerate(values))
    dash = DASHES[number]
    return (
        f'<polyline class="h{number}" style="fill:none" stroke-width="2" stroke-dasharray="{dash}" points="{points}"/>'
    )


def _label(number: int, name: str) -> str:
    y = TOP + 12 + number * 15
    line = (
        f'<path class="h{number}" stroke-width="2" stroke-dasharray="{DASHES[number]}" d="M{WIDTH - 34} {y - 4}h20"/>'
    )
    return f'{line}<text x="{WIDTH - 40}" y="{y}" text-anchor="end">{escape(name)}</text>'


def _x(minute: float, minutes: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * minute / max(1, minutes)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
