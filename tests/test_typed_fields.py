"""A `str` that comes from outside must say what it holds: a line, a text, a token (sekkei.kit.typed), or a pattern."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

from msgspec import Meta, Struct
from msgspec.structs import fields

import sekkei.web
import sekkei_systems
from sekkei.kit.typed import Line, Token, text_reader
from sekkei.web.forms import Sent

SENT = ("body", "form", "headers", "query")
"""The parameters of handlers and providers that hold what a client sends."""


def handlers() -> Iterator[Any]:
    for package in (sekkei.web, sekkei_systems):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                imported = importlib.import_module(module.name)
                yield from (f for f in vars(imported).values() if inspect.isfunction(f) and f.__module__ == module.name)


def structs_from_outside() -> dict[Any, str]:
    """Every Struct that a handler takes, and the module of the handler."""
    found: dict[Any, str] = {}
    for handler in handlers():
        for name, hint in inspect.get_annotations(handler).items():
            if name in (*SENT, "sent"):
                kind = eval(hint, handler.__globals__) if isinstance(hint, str) else hint
                kind = get_args(kind)[0] if get_origin(kind) is Sent else kind
                if _is_struct(kind):
                    found[kind] = handler.__module__
    for module in {handler.__module__ for handler in handlers()}:
        imported = importlib.import_module(module)
        for name in re.findall(r"\b(?:form|sent)\(request, (\w+)\)", inspect.getsource(imported)):
            if _is_struct(getattr(imported, name, None)):
                found[getattr(imported, name)] = module
    return found


def untyped(kind: Any) -> list[str]:
    """The fields of a Struct that may hold any text."""
    return [f"{kind.__name__}.{each.name}" for each in fields(kind) if _is_bare(each.type)]


def _is_bare(kind: Any) -> bool:
    if kind is str:
        return True
    if _is_struct(kind):
        return bool(untyped(kind))
    if get_origin(kind) is Annotated and any(isinstance(meta, Meta) and meta.pattern for meta in kind.__metadata__):
        return False
    if text_reader(kind) is not None:
        return False
    inside = (kind.__origin__,) if get_origin(kind) is Annotated else get_args(kind)
    return any(_is_bare(each) for each in (inside[1:] if get_origin(kind) is dict else inside))


def _is_struct(kind: Any) -> bool:
    cls = get_origin(kind) or kind
    return isinstance(cls, type) and issubclass(cls, Struct)


def test_every_text_from_outside_says_what_it_holds() -> None:
    found = structs_from_outside()
    assert len(found) > 100
    assert sorted(f"{module}: {each}" for kind, module in found.items() for each in untyped(kind)) == []


class _Inside(Struct):
    text: str | None = None


class _Wrong(Struct):
    one: str
    inside: list[_Inside]
    long: Annotated[str, Meta(max_length=9)] = ""
    several: list[str] = []
    line: Annotated[str, Line(9)] = ""
    token: Token | None = None
    color: Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")] = "#000000"


def test_fields_that_hold_any_text_are_noticed() -> None:
    assert untyped(_Wrong) == ["_Wrong.one", "_Wrong.inside", "_Wrong.long", "_Wrong.several"]
