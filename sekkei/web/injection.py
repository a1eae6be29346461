"""What handlers are given: their arguments, found by type or name.

    given = Given(service.tasks, service.teams, context.clock)       # values, by their type
    given.per_request(Member, service.access.member_of)              # made when a handler asks, once a request
    given.per_request(View, partial(view_of, service))               # providers may ask for what others provide

    async def member_of(self, user: User, team_id: str) -> Member: ...

A parameter of a handler or provider is, in this order:

    request: Request                        the request itself
    a name in the path                      converted to its type; what does not fit is not there
    user: User, user: User | None           whoever is signed in; `User` demands that somebody is
    query, headers, body, form              a Struct each; a field of `headers` is renamed to the header that it is
    sent: Sent[NewTask]                     a form that may be wrong and be shown again (sekkei.web.forms)
    language: str                           the language of the request
    any type                                a value of `Given`, or what a provider makes

`Pages.routes(given)` and `Api.routes(given)` decide all of this when the program starts. A parameter that nobody gives
stops it there with `NotGiven`. Whoever may not come in is told so before what they sent is looked at.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from starlette.requests import Request

from sekkei.runtime.refusals import NotThere
from sekkei.runtime.wiring import NotGiven, Wiring, several
from sekkei.web import reading
from sekkei.web.forms import Sent, described, form, sent
from sekkei.web.identity.users import User, current_user, require_user
from sekkei.web.texts import language_of

KEPT = "sekkei.given"
"""What was provided for a request, in its scope."""
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
Source = Callable[[Request], Any]
"""Gives an argument, or an awaitable of it."""


class Given:
    """The values and providers of one system."""

    def __init__(self, *values: object, wiring: Wiring | None = None) -> None:
        self._wiring = wiring or Wiring(*values)
        self._providers: dict[Any, Callable[..., Any]] = {}
        self.plans: dict[Any, Plan] = {}
        """How providers find what they need; the same for many routes."""

    def value(self, kind: Any, value: object) -> Given:
        """Hold a value under another type than its own, such as an interface."""
        self._wiring.value(kind, value)
        self.plans.clear()
        return self

    def per_request(self, kind: Any, provider: Callable[..., Any]) -> Given:
        """`provider` makes a `kind` for each request that needs one; it may be asynchronous, and may refuse."""
        self._providers[kind] = provider
        self.plans.clear()
        return self

    def provider(self, kind: Any) -> Callable[..., Any] | None:
        return self._providers.get(kind)

    def find(self, kind: Any, name: str = "") -> list[object]:
        """Return the values that fit a parameter of this type and name."""
        return self._wiring.find(kind, name)


@dataclass(slots=True)
class Plan:
    """How the arguments of one handler are found."""

    handler: Callable[..., Any]
    fixed: dict[str, object] = field(default_factory=dict)
    sources: list[tuple[int, str, Source]] = field(default_factory=list)
    """By stage: who asks and where, then what providers make of it, then what was sent."""
    path_types: dict[str, Any] = field(default_factory=dict)
    bodies: list[Any] = field(default_factory=list)
    queries: list[Any] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    user: bool | None = False
    """True: somebody must be signed in; False: anybody; None: it makes a difference."""

    async def call(self, request: Request) -> Any:
        return await self.run(await self.arguments(request))

    async def arguments(self, request: Request) -> dict[str, Any]:
        """Who asks has been let in, and what they sent has been read."""
        arguments = dict(self.fixed)
        for _, name, source in self.sources:
            value = source(request)
            arguments[name] = await value if inspect.isawaitable(value) else value
        return arguments

    async def run(self, arguments: Mapping[str, Any]) -> Any:
        answer = self.handler(**arguments)
        return await answer if inspect.isawaitable(answer) else answer

    def sent_as(self, field: str | None) -> str | None:
        """What whoever sent it calls a field; None when they sent nothing by that name."""
        first, slash, rest = (field or "").partition("/")
        models = [model for model in (*self.bodies, *self.queries) if _is_struct(model)]
        fields = [info for model in models for info, _ in described(get_origin(model) or model)]
        names = {info.encode_name for info in fields} | self.path_types.keys()
        found = next((info.encode_name for info in fields if info.name == first and first not in names), first)
        unknown = bool(models) and found not in names and len(models) == len(self.bodies) + len(self.queries)
        return None if unknown or not first else f"{found}{slash}{rest}"

    def joined(self, other: Plan) -> None:
        """What a provider needs, its handler needs."""
        self.path_types |= other.path_types
        self.bodies += other.bodies
        self.queries += other.queries
        self.headers += other.headers
        self.needs_user(other.user)

    def needs_user(self, needed: bool | None) -> None:
        if self.user is not True and needed is not False:
            self.user = needed


def plan(handler: Callable[..., Any], path: str, given: Given, *, in_page: bool) -> Plan:
    """Decide where every argument comes from; raises NotGiven."""
    return _Planner(path, given, in_page).plan(handler, ())


class _Planner:
    """For one route."""

    def __init__(self, path: str, given: Given, in_page: bool) -> None:
        self._path, self._given, self._in_page = path, given, in_page
        self._names = tuple(path_names(path))

    def plan(self, handler: Callable[..., Any], within: tuple[Any, ...]) -> Plan:
        found = Plan(handler)
        for name, hint, has_default in _parameters(handler):
            if not self._ordinary(found, name, hint) and not self._by_type(found, name, hint, within):
                if has_default:
                    continue
                raise NotGiven(self._complaint(handler, name, hint))
        found.sources.sort(key=lambda each: each[0])
        return found

    def _ordinary(self, found: Plan, name: str, hint: Any) -> bool:
        """What a request itself holds."""
        if hint is Request or name == "request":
            found.sources.append((0, name, lambda request: request))
        elif name in self._names:
            found.path_types[name] = hint
            found.sources.append((0, name, functools.partial(_from_path, name=name, kind=hint, page=self._in_page)))
        elif hint is User or hint == User | None:
            found.needs_user(True if hint is User else None)
            found.sources.append((0, name, require_user if hint is User else current_user))
        elif name == "language" and hint is str:
            found.sources.append((0, name, language_of))
        else:
            return self._sent(found, name, hint)
        return True

    def _sent(self, found: Plan, name: str, hint: Any) -> bool:
        if get_origin(hint) is Sent:
            found.sources.append((2, name, functools.partial(sent, model=get_args(hint)[0])))
        elif name == "form" and _is_struct(hint):
            found.sources.append((2, name, functools.partial(form, model=hint)))
        elif name == "body":
            found.bodies.append(hint)
            found.sources.append((2, name, functools.partial(reading.body, decoder=msgspec.json.Decoder(hint))))
        elif name == "query" and _is_struct(hint):
            found.queries.append(hint)
            found.sources.append((2, name, functools.partial(reading.query, model=hint)))
        elif name == "headers" and _is_struct(hint):
            found.headers.append(hint)
            found.sources.append((2, name, functools.partial(reading.headers, model=hint)))
        else:
            return False
        return True

    def _by_type(self, found: Plan, name: str, hint: Any, within: tuple[Any, ...]) -> bool:
        provider = self._given.provider(hint)
        if provider is not None:
            if hint in within:
                raise NotGiven(f"{_named(hint)} is provided by something that needs a {_named(hint)} itself.")
            planned = hint, self._names, self._in_page
            made = self._given.plans.get(planned) or self.plan(provider, (*within, hint))
            self._given.plans[planned] = made
            found.joined(made)
            found.sources.append((1, name, functools.partial(_provided, kind=hint, provider=made)))
            return True
        values = self._given.find(hint, name)
        if len(values) > 1:
            raise NotGiven(several(hint, values))
        if values:
            found.fixed[name] = values[0]
        return bool(values)

    def _complaint(self, handler: Callable[..., Any], name: str, hint: Any) -> str:
        return (
            f"{_place(handler)}: nobody gives its parameter {name}: {_named(hint)}. Give Given(…) a value of that "
            f"type, or given.per_request({_named(hint)}, …), or name it in the path {self._path}."
        )


def path_names(path: str) -> list[str]:
    """The parameters in a path, in their order."""
    return _PARAMETER.findall(path)


async def _provided(request: Request, kind: Any, provider: Plan) -> Any:
    kept: dict[Any, Any] = request.scope.setdefault(KEPT, {})
    if kind not in kept:
        kept[kind] = await provider.call(request)
    return kept[kind]


def _from_path(request: Request, name: str, kind: Any, page: bool) -> Any:
    text = request.path_params[name]
    if kind is str:
        return text
    try:
        return reading.converted(request, text, kind, name)
    except reading.BadBody:
        if page:
            raise NotThere() from None
        raise


def _is_struct(hint: Any) -> bool:
    return isinstance(get_origin(hint) or hint, type) and issubclass(get_origin(hint) or hint, msgspec.Struct)


def _parameters(handler: Callable[..., Any]) -> tuple[tuple[str, Any, bool], ...]:
    """Name, type, and whether it can be left out; bound arguments of methods and partials are not asked for."""
    if inspect.isfunction(handler):
        return _parameters_of(handler)
    if inspect.ismethod(handler):
        return _parameters(handler.__func__)[1:]
    if isinstance(handler, functools.partial) and not handler.keywords:
        return _parameters(handler.func)[len(handler.args) :]
    return tuple(_read_parameters(handler))


@functools.lru_cache(2_000)
def _parameters_of(function: Callable[..., Any]) -> tuple[tuple[str, Any, bool], ...]:
    return tuple(_read_parameters(function))


def _read_parameters(handler: Callable[..., Any]) -> Iterator[tuple[str, Any, bool]]:
    hints = _hints(handler)
    for name, parameter in inspect.signature(handler).parameters.items():
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            yield name, hints.get(name, Any), parameter.default is not parameter.empty


def _hints(handler: Callable[..., Any]) -> Mapping[str, Any]:
    while isinstance(handler, functools.partial):
        handler = handler.func
    if inspect.isclass(handler):
        handler = handler.__init__
    elif not inspect.isroutine(handler):
        handler = type(handler).__call__
    return hints_of(getattr(handler, "__func__", handler))


@functools.lru_cache(2_000)
def hints_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Types of the parameters and of the answer; looked up once however many applications are built."""
    return get_type_hints(function, include_extras=True)


def _named(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)


def _place(handler: Callable[..., Any]) -> str:
    while isinstance(handler, functools.partial):
        handler = handler.func
    return f"{handler.__module__}.{getattr(handler, '__qualname__', type(handler).__qualname__)}"
