"""Typed JSON routes: a Struct in, a Struct out, and the OpenAPI document out of the same declaration.

    # api/tasks.py
    operations = Operations()

    @operations.get("/teams/{team_id}/tasks", summary="Tasks of a team")
    async def list_tasks(member: Member, tasks: Tasks, query: TaskFilter) -> PageOf[TaskOut]: ...

    # api/__init__.py
    api = Api("tasks", title="Team tasks").include(teams.operations, tasks.operations)

    Parts(routes=[*api.routes(given), ...])     # /tasks/api/teams, …, /tasks/openapi.json, /tasks/docs

What a handler is given follows from its parameters: `sekkei.web.injection`. A route with `webhook=True` is for another
program and verifies its signature over the raw body itself.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
import orjson
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.refusals import Changed, Refusal
from sekkei.runtime.wiring import NotGiven
from sekkei.web import csrf
from sekkei.web.injection import Given, Plan, hints_of, path_names, plan
from sekkei.web.once import Once, Repeatable, takes_key
from sekkei.web.rendering import page

# The OpenAPI 3.1 document of an API, out of its declarations.


PREFIX = "/api"
_REF = "#/components/schemas/{name}"


class Problem(msgspec.Struct):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str
    errors: list[dict[str, str]] = []


def document(api: Api, operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document."""
    schemas = _Schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = f"/{api.name}{PREFIX}{re.sub(r':[a-z]+}', '}', operation.path)}"
        paths.setdefault(path, {})[operation.method.lower()] = _described_operation(operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": api.title, "version": "1", "description": api.about},
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


class _Schemas:
    """Schemas of all types at once, so that types of one name keep apart."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        kinds: list[Any] = [Problem]
        for operation in operations:
            plan = operation.plan
            kinds += [*plan.bodies, *plan.queries, operation.returns, *plan.path_types.values()]
        self._kinds = [kind for kind in kinds if kind is not None and kind is not type(None)]
        found, self.components = msgspec.json.schema_components(self._kinds, ref_template=_REF)
        self._schemas = list(found)

    def of(self, kind: Any) -> dict[str, Any]:
        for position, known in enumerate(self._kinds):
            if known is kind:
                return self._schemas[position]
        found, _ = msgspec.json.schema_components([kind], ref_template=_REF)
        return dict(found[0])


def _described_operation(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.handler.__name__,
        "summary": operation.summary,
        "parameters": [
            *_path_parameters(operation, schemas),
            *(one for model in operation.plan.queries for one in _parameters("query", model)),
            *(one for model in operation.plan.headers for one in _parameters("header", model)),
        ],
        "responses": _responses(operation, schemas),
    }
    if operation.handler.__doc__:
        found["description"] = operation.handler.__doc__.strip()
    if operation.tag:
        found["tags"] = [operation.tag]
    if operation.plan.user:
        found["security"] = [{"bearer": []}]
    elif operation.plan.user is None:
        found["security"] = [{}, {"bearer": []}]
    for body in operation.plan.bodies:
        content = {"application/json": {"schema": schemas.of(body)}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _path_parameters(operation: Operation, schemas: _Schemas) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": schemas.of(operation.plan.path_types.get(name, str))}
        for name in path_names(operation.path)
    ]


def _parameters(place: str, model: Any) -> list[dict[str, Any]]:
    """Of a Struct that stands for the query or the headers."""
    hints = get_type_hints(model, include_extras=True)
    found = []
    for info in msgspec.structs.fields(model):
        (schema,), _ = msgspec.json.schema_components([hints[info.name]], ref_template=_REF)
        found.append({"name": info.encode_name, "in": place, "required": info.required, "schema": schema})
    return found


def _responses(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    good: dict[str, Any] = {"description": "OK"}
    if operation.returns is not None and operation.returns is not type(None):
        good["content"] = {"application/json": {"schema": schemas.of(operation.returns)}}
    bad = {
        "description": "Problem",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    return {str(operation.status): good, "default": bad}


# For people: the same schemas in words

_LIMITS = {
    "minLength": "length ≥ {}",
    "maxLength": "length ≤ {}",
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "exclusiveMinimum": "> {}",
    "exclusiveMaximum": "< {}",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "pattern": "like {}",
}


def in_words(schema: Mapping[str, Any]) -> Markup:
    """`string, length ≤ 200`, `list of Task`, `integer or null`; names of schemas are links."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#{0}">{0}</a>').format(name)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return Markup(" or ").join(in_words(one) for one in schema[several])
    if "enum" in schema:
        return Markup(" | ").join(Markup("<code>{}</code>").format(one) for one in schema["enum"])
    if schema.get("type") == "array":
        return Markup("list of {}").format(in_words(schema.get("items", {})))
    kind = schema.get("format") or schema.get("type") or "anything"
    limits = [words.format(schema[name]) for name, words in _LIMITS.items() if name in schema]
    return Markup(", ").join([escape(kind), *(escape(words) for words in limits)])


def fields(schema: Mapping[str, Any]) -> list[tuple[str, Markup, bool]]:
    """Name, words and whether it must be given, of every field of an object."""
    required = schema.get("required", ())
    return [(name, in_words(one), name in required) for name, one in schema.get("properties", {}).items()]


T = TypeVar("T")
H = TypeVar("H", bound=Callable[..., Awaitable[Any]])
_VERSION_DIGITS_MAX = 18
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
    if not text.isascii() or not text.isdigit() or len(text) > _VERSION_DIGITS_MAX:
        raise Changed()
    return int(text)


@dataclass(frozen=True, slots=True)
class _Declared:
    method: str
    path: str
    handler: Callable[..., Awaitable[Any]]
    summary: str
    status: int
    tag: str
    webhook: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One route and what it takes; the OpenAPI document is made from these."""

    method: str
    path: str
    handler: Callable[..., Awaitable[Any]]
    summary: str
    status: int
    tag: str
    plan: Plan
    returns: Any
    repeatable: bool = False
    """It is carried out once by the shell when it comes with an Idempotency-Key."""


class Operations:
    """The operations of one file: `operations = Operations()`, then `@operations.get("/teams", summary=…)`."""

    def __init__(self) -> None:
        self._declared: list[_Declared] = []

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

    def _declare(
        self, method: str, path: str, summary: str, status: int, tag: str, webhook: bool = False
    ) -> Callable[[H], H]:
        def declare(handler: H) -> H:
            self._declared.append(_Declared(method, path, handler, summary, status, tag, webhook))
            return handler

        return declare


class Api(Operations):
    """The JSON API of one system. `prefix` stands between the system's name and a route's path.

    `repeatable_in`: whatever writes takes an Idempotency-Key (sekkei.web.once).
    """

    def __init__(
        self,
        name: str,
        *,
        title: str,
        about: str = "",
        repeatable_in: str | None = None,
    ) -> None:
        super().__init__()
        self.name, self.title, self.about = name, title, about
        self.repeatable_in = repeatable_in

    def include(self, *parts: Operations) -> Api:
        """Take up the operations of other files, so that one document describes all of them."""
        for part in parts:
            self._declared += part._declared
        return self

    def operations(self, given: Given) -> list[Operation]:
        return [_operation(each, given, self.repeatable_in is not None) for each in self._declared]

    def routes(self, given: Given) -> list[BaseRoute]:
        """All routes, and the two that describe them; raises NotGiven."""
        operations = self.operations(given)
        once = self._once(given)
        described = functools.cache(lambda: document(self, operations))

        async def show_document(request: Request) -> Response:
            return Response(orjson.dumps(described(), option=orjson.OPT_INDENT_2), media_type="application/json")

        async def show_docs(request: Request) -> Response:
            return page(
                request,
                "api_docs.html",
                api=self,
                document=described(),
                in_words=in_words,
                fields=fields,
            )

        return [
            *(self._route(*each, once) for each in zip(self._declared, operations, strict=True)),
            Route("/openapi.json", show_document, methods=["GET"], name="openapi"),
            Route("/docs", show_docs, methods=["GET"], name="docs"),
        ]

    def _once(self, given: Given) -> Once | None:
        if self.repeatable_in is None:
            return None
        found = given.find(Idempotency)
        if not found:
            raise NotGiven(f"The API of {self.name} takes Idempotency-Keys. Give Given(…) context.idempotency.")
        return Once(self.name, self.repeatable_in, cast(Idempotency, found[0]))

    def _route(self, declared: _Declared, operation: Operation, once: Once | None) -> Route:
        endpoint = _endpoint(operation, once if operation.repeatable else None)
        if declared.webhook:
            endpoint = csrf.webhook(endpoint)
        name = f"api.{declared.handler.__name__}"
        return Route(PREFIX + declared.path, endpoint, methods=[declared.method], name=name)


def _operation(declared: _Declared, given: Given, keys: bool) -> Operation:
    how = plan(declared.handler, declared.path, given, in_page=False)
    repeatable = keys and not declared.webhook and takes_key(declared.method, how.headers)
    if repeatable:
        how.headers.append(Repeatable)
    returns = hints_of(declared.handler).get("return")
    if get_origin(returns) is Answer:
        (returns,) = get_args(returns)
    if isinstance(returns, type) and issubclass(returns, Response):
        returns = None  # no JSON: a file, a calendar
    return Operation(
        declared.method,
        declared.path,
        declared.handler,
        declared.summary,
        declared.status,
        declared.tag,
        how,
        returns,
        repeatable,
    )


def _endpoint(operation: Operation, once: Once | None) -> Callable[[Request], Awaitable[Response]]:
    @functools.wraps(operation.handler)
    async def endpoint(request: Request) -> Response:
        request.scope["sekkei.api"] = True
        try:
            arguments = await operation.plan.arguments(request)

            async def run() -> Response:
                return respond(await operation.plan.run(arguments), operation.status)

            return await run() if once is None else await once.answer(request, run)
        except Refusal as refusal:
            refusal.field = operation.plan.sent_as(refusal.field)  # a service knows its own names
            raise

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
