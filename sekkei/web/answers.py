"""What the handler of a page answers, as values that a test can compare; the router makes responses of them.

return Html("tasks/board.html", view=view)
return Html("tasks/new.html", 422, view=view, form=sent.refilled(wrong))
return Redirect("tasks:board", team_id=team_id).flash("task.saved")
return Redirect("tasks:team", team_id=team_id).flash(refusal)             # its words, as an error
return Redirect("tasks:board", team_id=team_id).flash("task.deleted").offering("activity.undo", "/tasks/…/back")
return Redirect("tasks:list", team_id=team_id).query(late="start")
return Events(f"tasks/team/{member.team_id}")                             # server-sent events: sekkei.web.live
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from sekkei.runtime.refusals import Refusal
from sekkei.web.live import sse
from sekkei.web.rendering import Level, flash, page, path_of
from sekkei.web.texts import language_of, t


@dataclass(frozen=True, slots=True)
class _Flash:
    """A message for the next page: the key of a text with its values, or a refusal."""

    text: str | Refusal
    level: Level
    values: Mapping[str, Any]
    offer: tuple[str, str] | None = None
    """One thing to do about it: the key of its label, and the path that it posts to."""

    def show(self, request: Request) -> None:
        offer = (t(request, self.offer[0]), self.offer[1]) if self.offer else None
        if isinstance(self.text, Refusal):
            flash(request, self.text.text(language_of(request)), self.level, offer)
        else:
            flash(request, t(request, self.text, **self.values), self.level, offer)


class _Answer:
    """Compared by what it holds."""

    flashes: tuple[_Flash, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def flash(self, text: str | Refusal, level: Level | None = None, /, **values: Any) -> Self:
        """With a message: the text of a key, or the words of a refusal."""
        chosen: Level = level or ("error" if isinstance(text, Refusal) else "ok")
        answer = copy(self)
        answer.flashes = (*self.flashes, _Flash(text, chosen, values))
        return answer

    def offering(self, label: str, path: str) -> Self:
        """The last message has a button, such as one that takes back what was done."""
        answer = copy(self)
        answer.flashes = (*self.flashes[:-1], replace(self.flashes[-1], offer=(label, path)))
        return answer

    def response(self, request: Request) -> Response:
        raise NotImplementedError


class Html(_Answer):
    """A page: a template and what it shows."""

    def __init__(
        self, template: str, status: int = 200, /, *, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        self.template, self.status, self.headers, self.values = template, status, dict(headers or {}), values

    def response(self, request: Request) -> Response:
        return page(request, self.template, self.status, headers=self.headers, **self.values)


class Redirect(_Answer):
    """To the route of a name such as "tasks:board" with its parameters, or to a path of our own; always with GET."""

    def __init__(self, to: str, /, **parameters: Any) -> None:
        self.to, self.parameters = to, parameters
        self.asked: dict[str, Any] = {}

    def query(self, **values: Any) -> Redirect:
        answer = copy(self)
        answer.asked = {**self.asked, **values}
        return answer

    def response(self, request: Request) -> Response:
        path = path_of(request, self.to, **self.parameters)
        mark = "&" if "?" in path else "?"
        return RedirectResponse(f"{path}{mark}{urlencode(self.asked, doseq=True)}" if self.asked else path, 303)


class Events(_Answer):
    """The events of a topic, as they happen; the handler proves first that this person may hear them."""

    def __init__(self, topic: str) -> None:
        self.topic = topic

    def response(self, request: Request) -> Response:
        return sse(request, request.app.state.shell.deployment.live, self.topic)


MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "pdf": "application/pdf",
    "zip": "application/zip",
}


def download(name: str, body: bytes | AsyncIterator[bytes], *, shown: bool = False) -> Response:
    """A file that the browser saves, or shows if it is to be `shown`. It is about people, so no cache keeps it."""
    way = "inline" if shown else "attachment"
    headers = {"Content-Disposition": f'{way}; filename="{name}"', "Cache-Control": "no-store"}
    media_type = MEDIA_TYPES[name.rpartition(".")[2]]
    if isinstance(body, bytes):
        return Response(body, media_type=media_type, headers=headers)
    return StreamingResponse(body, media_type=media_type, headers=headers)


def calendar_feed(body: bytes) -> Response:
    """A calendar that programs fetch without a session: the address is the secret, so no shared cache keeps it."""
    return Response(body, media_type="text/calendar; charset=utf-8", headers={"Cache-Control": "private, max-age=300"})


def rendered(request: Request, answer: Any) -> Response:
    """A handler's answer as a response."""
    if isinstance(answer, Response):
        return answer
    if not isinstance(answer, _Answer):
        raise TypeError(f"A page answers with Html, Redirect, Events or a Response, not with {answer!r}.")
    for each in answer.flashes:
        each.show(request)
    return answer.response(request)
