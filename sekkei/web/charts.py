"""Charts as SVG, made on the server: no script, colours of the theme, and a table for those who listen."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10

from markupsafe import Markup, escape

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 14, 32
_TICKS = 4
_HALF_LABEL = 32
"""Of a date, as large as it is on a phone."""
Series = tuple[str, Sequence[float | None]]
"""A name and its values; None leaves a gap."""


def bars(title: str, labels: Sequence[str], series: Sequence[Series], *, stacked: bool = True) -> Markup:
    """Bars side by side or on top of each other: `bars("Tasks", days, [("todo", [3, 2]), ("done", [0, 1])])`."""
    values = [[value or 0.0 for value in numbers] for _, numbers in series]
    totals = (
        [sum(column) for column in zip(*values, strict=True)] if stacked else [max(each) for each in values if each]
    )
    top = _round_up(max(totals, default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(labels))
    parts = [_axes(labels, top, step)]
    for position in range(len(labels)):
        base = 0.0
        for number, column in enumerate(values):
            width = step * 0.62 if stacked else step * 0.7 / len(values)
            left = _LEFT + step * position + step * 0.19 + (0 if stacked else width * number)
            low, high = (base, base + column[position]) if stacked else (0.0, column[position])
            parts.append(_bar(left, width, low, high, top, number))
            base = high
    return _figure(title, labels, series, "".join(parts))


def lines(title: str, labels: Sequence[str], series: Sequence[Series], *, area: bool = False) -> Markup:
    """Lines over time, such as a burndown."""
    top = _round_up(max((value or 0.0 for _, numbers in series for value in numbers), default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(labels) - 1)
    parts = [_axes(labels, top, step, between=True)]
    for number, (_, numbers) in enumerate(series):
        points = [(_LEFT + step * at, _y(value, top)) for at, value in enumerate(numbers) if value is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        if area and points and number == 0:
            floor = HEIGHT - _BOTTOM
            shape = f"{points[0][0]:.1f},{floor} {path} {points[-1][0]:.1f},{floor}"
            parts.append(f'<polygon class="chart-area series-{number}" points="{shape}"/>')
        parts.append(f'<polyline class="chart-line series-{number}" points="{path}"/>')
        if len(points) <= 40:
            parts += [f'<circle class="chart-dot series-{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points]
    return _figure(title, labels, series, "".join(parts))


def _bar(left: float, width: float, low: float, high: float, top: float, number: int) -> str:
    if high <= low:
        return ""
    y = _y(high, top)
    size = f'x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_y(low, top) - y:.1f}"'
    return f'<rect class="chart-bar series-{number}" {size} rx="2"/>'


def _y(value: float, top: float) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / top


def _round_up(value: float) -> float:
    """A round number that is at least as large, so that the ticks are round too."""
    if value <= _TICKS:
        return float(_TICKS)
    scale = 10.0 ** (ceil(log10(value)) - 1)
    return next(scale * step for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if scale * step >= value)


def _axes(labels: Sequence[str], top: float, step: float, *, between: bool = False) -> str:
    parts = []
    for tick in range(_TICKS + 1):
        y = _y(top * tick / _TICKS, top)
        parts.append(f'<line class="chart-grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="chart-tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{top * tick / _TICKS:g}</text>'
        )
    every = max(1, ceil(len(labels) / 8))
    for at, label in enumerate(labels):
        if at % every == 0:
            x = _LEFT + step * at + (0 if between else step / 2)
            x, anchor = (x, "middle") if x + _HALF_LABEL < WIDTH else (WIDTH, "end")
            parts.append(
                f'<text class="chart-tick" x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{escape(label)}</text>'
            )
    return "".join(parts)


def _figure(title: str, labels: Sequence[str], series: Sequence[Series], inside: str) -> Markup:
    legend = "".join(
        f'<li><span class="chart-key series-{at}"></span>{escape(name)}</li>' for at, (name, _) in enumerate(series)
    )
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name, _ in series)
    rows = "".join(
        f"<tr><th scope=row>{escape(label)}</th>"
        + "".join(f"<td>{'' if numbers[at] is None else format(numbers[at], 'g')}</td>" for _, numbers in series)
        + "</tr>"
        for at, label in enumerate(labels)
    )
    return Markup(
        f'<figure class="chart"><figcaption>{escape(title)}<ul class="chart-legend">{legend}</ul></figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" focusable="false">{inside}</svg>'
        f'<table class="visually-hidden"><caption>{escape(title)}</caption><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></figure>"
    )
