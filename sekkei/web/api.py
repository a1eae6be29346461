"""Typed JSON routes: a Struct in, a Struct out, and the OpenAPI document out of the same declaration.

    api = Api("tasks", title="Team tasks", version="1")

    @api.post("/teams", summary="Create a team", status=201)
    async def create_team(request: Request, user: User, body: NewTeam) -> Team: ...

    @api.get("/teams/{team_id}/tasks", summary="Tasks of a team")
    async def list_tasks(request: Request, user: User, team_id: str, query: TaskFilter) -> PageOf[TaskOut]: ...

    Parts(routes=[*api.routes, ...])     # /tasks/api/teams, …, /tasks/openapi.json, /tasks/docs

What a handler is given follows from its parameters: `request`, `body`, `query` and `headers` (Structs; a field of
`headers` is renamed to the header that it is), `user` (`User` demands that somebody is signed in, `User | None` does
not), and the parameters in the path, converted to their types. A route with `webhook=True` is for another program and
verifies its signature over the raw body itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.runtime.refusals import Changed, Invalid
from sekkei.web import csrf, openapi
from sekkei.web.forms import described, is_several, reason
from sekkei.web.identity.users import User, current_user, require_user
from sekkei.web.rendering import page
from sekkei.web.texts import t

T = TypeVar("T")
H = TypeVar("H", bound=Callable[..., Awaitable[Any]])
VERSION_DIGITS_MAX = 18
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class PageOf(msgspec.Struct, Generic[T]):
    """One page of a list; `cursor` is passed as `after` to get the next one."""

    items: list[T]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A result with more to say about it: another status, an ETag, headers."""

    body: T
    status: int | None = None
    etag: str | int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class BadBody(Invalid):
    """Validation failed; `errors` has a text for each place, by JSON pointer."""

    code = "validation"

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__()
        self.errors = errors


def etag(version: str | int) -> str:
    return f'"{version}"'


def check_if_match(request: Request, version: str | int) -> None:
    """Refuse a change of something that is no longer what the caller has read; without If-Match anything goes."""
    given = request.headers.get("if-match")
    if given is not None and given.strip() != "*" and etag(version) not in [one.strip() for one in given.split(",")]:
        raise Changed()


def version_in_if_match(request: Request) -> int | None:
    """The version that a caller has read, to be made a condition of the write."""
    given = request.headers.get("if-match", "").strip()
    if not given or given == "*":
        return None
    text = given.removeprefix("W/").strip('"')
    if not text.isascii() or not text.isdigit() or len(text) > VERSION_DIGITS_MAX:
        raise Changed()
    return int(text)


@dataclass(frozen=True, slots=True)
class Operation:
    """One declared route; what the OpenAPI document is made from."""

    method: str
    path: str
    handler: Callable[..., Awaitable[Any]]
    summary: str
    status: int
    tag: str
    body: Any
    query: Any
    headers: Any
    path_types: Mapping[str, Any]
    returns: Any
    user: bool | None
    """True: somebody must be signed in; False: anybody; None: it makes a difference."""


class Api:
    """The JSON API of one system. `prefix` stands between the system's name and a route's path."""

    def __init__(self, name: str, *, title: str, version: str = "1", about: str = "", prefix: str = "/api") -> None:
        self.name, self.title, self.version, self.about, self.prefix = name, title, version, about, prefix
        self.operations: list[Operation] = []
        self._routes: list[BaseRoute] = []

    def get(self, path: str, *, summary: str, tag: str = "") -> Callable[[H], H]:
        return self._declare("GET", path, summary, 200, tag)

    def post(
        self, path: str, *, summary: str, status: int = 200, tag: str = "", webhook: bool = False
    ) -> Callable[[H], H]:
        return self._declare("POST", path, summary, status, tag, webhook)

    def put(self, path: str, *, summary: str, status: int = 200, tag: str = "") -> Callable[[H], H]:
        return self._declare("PUT", path, summary, status, tag)

    def patch(self, path: str, *, summary: str, status: int = 200, tag: str = "") -> Callable[[H], H]:
        return self._declare("PATCH", path, summary, status, tag)

    def delete(self, path: str, *, summary: str, status: int = 204, tag: str = "") -> Callable[[H], H]:
        return self._declare("DELETE", path, summary, status, tag)

    @property
    def routes(self) -> list[BaseRoute]:
        """All routes, and the two that describe them."""
        document = openapi.document(self)

        async def show_document(request: Request) -> Response:
            return Response(orjson.dumps(document, option=orjson.OPT_INDENT_2), media_type="application/json")

        async def show_docs(request: Request) -> Response:
            return page(
                request, "api_docs.html", api=self, document=document, in_words=openapi.in_words, fields=openapi.fields
            )

        return [
            *self._routes,
            Route("/openapi.json", show_document, methods=["GET"], name="openapi"),
            Route("/docs", show_docs, methods=["GET"], name="docs"),
        ]

    def _declare(
        self, method: str, path: str, summary: str, status: int, tag: str, webhook: bool = False
    ) -> Callable[[H], H]:
        def declare(handler: H) -> H:
            operation = _operation(method, path, handler, summary, status, tag)
            self.operations.append(operation)
            endpoint = csrf.webhook(_endpoint(operation)) if webhook else _endpoint(operation)
            self._routes.append(Route(self.prefix + path, endpoint, methods=[method], name=f"api.{handler.__name__}"))
            return handler

        return declare


def _operation(
    method: str, path: str, handler: Callable[..., Awaitable[Any]], summary: str, status: int, tag: str
) -> Operation:
    hints = get_type_hints(handler, include_extras=True)
    returns = hints.pop("return", None)
    body, query, headers = hints.pop("body", None), hints.pop("query", None), hints.pop("headers", None)
    user = (hints.pop("user") is User or None) if "user" in hints else False
    hints.pop("request", None)
    names = {part[1:-1].partition(":")[0] for part in path.split("/") if part.startswith("{")}
    if set(hints) != names:
        raise TypeError(
            f"{handler.__name__}: the path {path} has {names or 'no parameters'}, the handler {set(hints)}."
        )
    if get_origin(returns) is Answer:
        (returns,) = get_args(returns)
    if isinstance(returns, type) and issubclass(returns, Response):
        returns = None  # no JSON: a file, a calendar
    return Operation(method, path, handler, summary, status, tag, body, query, headers, hints, returns, user)


def _endpoint(operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    parameters = inspect.signature(operation.handler).parameters
    decoder = msgspec.json.Decoder(operation.body) if operation.body is not None else None

    async def endpoint(request: Request) -> Response:
        request.scope["sekkei.api"] = True
        given: dict[str, Any] = {}
        if "request" in parameters:
            given["request"] = request
        if "user" in parameters:
            given["user"] = require_user(request) if operation.user else current_user(request)
        for name, kind in operation.path_types.items():
            given[name] = _converted(request, request.path_params[name], kind, name)
        if operation.query is not None:
            given["query"] = _query(request, operation.query)
        if operation.headers is not None:
            given["headers"] = _headers(request, operation.headers)
        if decoder is not None:
            given["body"] = await _body(request, decoder)
        return respond(await operation.handler(**given), operation.status)

    endpoint.__name__ = operation.handler.__name__
    endpoint.__doc__ = operation.handler.__doc__
    return endpoint


def respond(result: Any, status: int = 200) -> Response:
    """A Struct (or list, dict, None) as an answer in JSON."""
    headers: dict[str, str] = {"Cache-Control": "no-store"}
    if isinstance(result, Response):
        return result
    if isinstance(result, Answer):
        status = result.status or status
        headers.update(result.headers)
        if result.etag is not None:
            headers["ETag"] = etag(result.etag)
        result = result.body
    if result is None and status in (200, 204):
        return Response(None, 204, headers)
    return Response(_ENCODER.encode(result), status, headers, "application/json")


async def _body(request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
    raw = await request.body()
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise BadBody(_located(request, str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadBody({"": t(request, "form.not-json")}) from None


def _located(request: Request, message: str) -> dict[str, str]:
    """msgspec says `Expected … - at `$.tags[0]``; the place becomes a JSON pointer."""
    text, _, place = message.partition(" - at `")
    pointer = place.rstrip("`").removeprefix("$").replace("[", "/").replace("]", "").replace(".", "/").strip("/")
    if "missing required field `" in text or "unknown field `" in text:
        pointer = f"{pointer}/{text.rpartition('field `')[2].rstrip('`')}".strip("/")
    return {pointer: reason(request, text)}


def _converted(request: Request, text: Any, kind: Any, name: str) -> Any:
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadBody({name: reason(request, str(error))}) from None


def _headers(request: Request, model: Any) -> Any:
    found = {info.encode_name: request.headers.get(info.encode_name) for info, _ in described(model)}
    try:
        return msgspec.convert({name: text for name, text in found.items() if text is not None}, model, strict=False)
    except msgspec.ValidationError as error:
        raise BadBody(_located(request, str(error))) from None


def _query(request: Request, model: Any) -> Any:
    given: dict[str, Any] = {}
    for info, hint in described(model):
        values = request.query_params.getlist(info.encode_name)
        if values:
            given[info.encode_name] = values if is_several(hint) else values[-1]
    try:
        return msgspec.convert(given, model, strict=False)
    except msgspec.ValidationError as error:
        raise BadBody(_located(request, str(error))) from None
