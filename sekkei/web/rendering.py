"""Pages: `return page(request, "tasks/board.html", tasks=tasks)`.

A template `tasks/board.html` is `systems/tasks/templates/board.html`; it extends `layout.html` of the shell and imports
`ui.html`, the vocabulary of components. Every template knows `t`, `pick`, `csrf()`, `static()`, `user`, `request`,
`language`, `path` (the path that was asked for) and `url(name, ...)`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sekkei.kit.signing import BadToken
from sekkei.web import charts, csrf
from sekkei.web.texts import choice_here, pick, say_here, section_here, speech

if TYPE_CHECKING:
    from sekkei.web.application import Shell

FLASH_COOKIE = "sekkei_flash"
THEME_COOKIE = "sekkei_theme"
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
    environment.globals.update(bars=charts.bars, lines=charts.lines)
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
    chosen = request.cookies.get(THEME_COOKIE)
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
