"""Pages: `return page(request, "tasks/board.html", tasks=tasks)`.

A template `tasks/board.html` is `systems/tasks/templates/board.html`; it extends `layout.html` of the shell and imports
`ui.html`, the vocabulary of components. Every template knows `t`, `pick`, `csrf()`, `static()`, `user`, `request`,
`language`, `path` (the path that was asked for) and `url(name, ...)`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from math import ceil, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sekkei.kit.signing import BadToken
from sekkei.web import csrf
from sekkei.web.texts import choice_here, pick, say_here, section_here, speech

# Charts as SVG, made on the server: no script, colours of the theme, and a table for those who listen.


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


if TYPE_CHECKING:
    from sekkei.web.shell import Shell

FLASH_COOKIE = "sekkei_flash"
_THEME_COOKIE = "sekkei_theme"
_FLASHES_MAX = 5
Level = Literal["ok", "info", "warning", "error"]
TEMPLATES = Path(__file__).parent / "templates"


def make_environment(folders: Mapping[str, Path], *, reload: bool) -> Environment:
    """Jinja, with the systems' templates under their names and the shell's beside them."""
    return _environment(tuple(sorted(folders.items())), reload)


@functools.lru_cache(8)
def _environment(folders: tuple[tuple[str, Path], ...], reload: bool) -> Environment:
    """One for all applications of a process, so that a template is compiled once."""
    systems = {name: FileSystemLoader(folder) for name, folder in folders}
    environment = Environment(
        loader=ChoiceLoader([PrefixLoader(systems), FileSystemLoader(TEMPLATES)]),
        autoescape=select_autoescape(("html", "xml", "svg")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=reload,
    )
    environment.globals.update(t=say_here, choice=choice_here, section=section_here, pick=pick)
    environment.globals.update(bars=bars, lines=lines)
    environment.filters.update(when=when, day=day, lines_of=lines_of, initials=initials, hue=hue, query=query)
    return environment


def page(
    request: Request, template: str, status: int = 200, /, *, headers: Mapping[str, str] | None = None, **values: Any
) -> Response:
    """The template as a page of the shell."""
    shell: Shell = request.app.state.shell
    with_request = {
        "request": request,
        "user": request.state.user,
        "language": request.state.speech.language,
        "theme": _theme(request),
        "path": request.scope["path"],
        "csrf": lambda: csrf.token(request),
        "static": shell.static.url,
        "url": shell.addresses.path,
        "shell": shell,
        "is_operator": shell.is_operator(request),
    }
    found = speech.set(request.state.speech)
    try:
        # A page that was redirected to shows the messages once; a part of a page leaves them for the next page.
        taken = [] if template.rpartition("/")[2].startswith("_") else _take_flashes(request)
        messages = {"flashes": [one[:2] for one in taken], "offers": [one[2:] for one in taken]}
        body = shell.templates.get_template(template).render(**with_request, **messages, **values)
    finally:
        speech.reset(found)
    return HTMLResponse(body, status, {"Cache-Control": "no-store", **(headers or {})})


def redirect(request: Request, to: str, **parameters: Any) -> Response:
    """To a path, or to the route of a name such as "tasks:board" with its parameters; always with GET."""
    return RedirectResponse(path_of(request, to, **parameters), 303)


def path_of(request: Request, to: str, **parameters: Any) -> str:
    """The path of a route; a path stays what it is."""
    shell: Shell = request.app.state.shell
    return to if to.startswith("/") else shell.addresses.path(to, **parameters)


def local_path(text: str | None, default: str = "/") -> str:
    """A path of our own, out of what somebody gave us to go to next."""
    if not text or not text.startswith("/") or text.startswith(("//", "/\\")) or not text.isprintable():
        return default
    return text if "\\" not in text else default


def flash(request: Request, text: str, level: Level = "ok", offer: tuple[str, str] | None = None) -> None:
    """Show a message on the next page that this browser is shown; `offer` is a button's label and where it posts to."""
    request.state.new_flashes.append([level, text[:300], *(offer or ())])


def _theme(request: Request) -> str:
    chosen = request.cookies.get(_THEME_COOKIE)
    return chosen if chosen in ("light", "dark") else "auto"


# Messages travel in a signed cookie: they are few, short, and of no use to anybody else.


def seal_flashes(request: Request, flashes: list[list[str]]) -> str:
    shell: Shell = request.app.state.shell
    return shell.flash_signer.sign(flashes[-_FLASHES_MAX:])


def _take_flashes(request: Request) -> list[list[str]]:
    waiting: list[list[str]] = list(request.state.new_flashes)
    request.state.new_flashes.clear()
    cookie = request.cookies.get(FLASH_COOKIE)
    if cookie:
        request.state.flashes_shown = True
        shell: Shell = request.app.state.shell
        with suppress(BadToken):
            waiting = shell.flash_signer.read(cookie, shell.clock.now()) + waiting
    return waiting


# Filters


def when(moment: datetime, style: Literal["full", "short", "time"] = "short") -> Markup:
    """A moment in the zone of the page, as `<time>`, so that a script can say how long ago it was."""
    local = moment.astimezone(speech.get().zone)
    forms = {"full": "%Y-%m-%d %H:%M:%S", "short": "%Y-%m-%d %H:%M", "time": "%H:%M"}
    return Markup('<time datetime="{}">{}</time>').format(local.isoformat(), local.strftime(forms[style]))


_WEEKDAYS = {"ja": "月火水木金土日", "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")}


def day(value: date) -> str:
    """A day as people write it: 5月3日(土), or Sat 3 May."""
    language = speech.get().language
    weekday = _WEEKDAYS[language][value.weekday()]
    return f"{value.month}月{value.day}日({weekday})" if language == "ja" else f"{weekday} {value.day} {value:%b}"


def lines_of(text: str) -> Markup:
    """A text with its line ends; everything else is escaped."""
    return Markup("<br>").join(escape(line) for line in text.split("\n"))


def initials(name: str) -> str:
    """One or two letters for an avatar."""
    words = name.split()
    if not words:
        return "?"
    if all(ord(letter) < 0x3000 for letter in name):
        return "".join(word[0] for word in words[:2]).upper()
    return words[0][0]


def hue(text: str) -> int:
    """A colour that is always the same for one person or thing."""
    return hashlib.sha256(text.encode()).digest()[0] * 360 // 256


def query(values: Mapping[str, Any], **changes: Any) -> str:
    """`{{ request.query_params|query(after=cursor) }}`: the same query with changes; None removes."""
    merged: list[tuple[str, str]] = []
    pairs = values.multi_items() if hasattr(values, "multi_items") else list(values.items())
    merged += [(name, value) for name, value in pairs if name not in changes and name != "lang"]
    for name, value in changes.items():
        several = value if isinstance(value, list | tuple) else [] if value is None else [value]
        merged += [(name, str(one)) for one in several]
    return "?" + urlencode(merged) if merged else "?"
