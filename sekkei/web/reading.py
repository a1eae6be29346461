"""Typed values out of what a program sends: the body, the query, the headers, a part of the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request

from sekkei.kit.typed import cleaned
from sekkei.runtime.refusals import Invalid
from sekkei.web.forms import described, is_several, reason
from sekkei.web.texts import t


class BadBody(Invalid):
    """Validation failed; `errors` has a text for each place, by JSON pointer."""

    code = "validation"

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__()
        self.errors = errors


async def body(request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
    raw = await request.body()
    try:
        return cleaned(decoder.decode(raw), decoder.type)
    except msgspec.ValidationError as error:
        raise BadBody(_located(request, str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # the last: a thousand brackets deep
        raise BadBody({"": t(request, "form.not-json")}) from None


def converted(request: Request, text: Any, kind: Any, name: str) -> Any:
    try:
        return cleaned(msgspec.convert(text, kind, strict=False), kind)
    except msgspec.ValidationError as error:
        raise BadBody({name: reason(request, str(error))}) from None


def headers(request: Request, model: Any) -> Any:
    found = {info.encode_name: request.headers.get(info.encode_name) for info, _ in described(model)}
    return _converted(request, {name: text for name, text in found.items() if text is not None}, model)


def query(request: Request, model: Any) -> Any:
    given: dict[str, Any] = {}
    for info, hint in described(model):
        values = request.query_params.getlist(info.encode_name)
        if values:
            given[info.encode_name] = values if is_several(hint) else values[-1]
    return _converted(request, given, model)


def _converted(request: Request, given: dict[str, Any], model: Any) -> Any:
    try:
        return cleaned(msgspec.convert(given, model, strict=False), model)
    except msgspec.ValidationError as error:
        raise BadBody(_located(request, str(error))) from None


def _located(request: Request, message: str) -> dict[str, str]:
    """msgspec says `Expected … - at `$.tags[0]``; the place becomes a JSON pointer."""
    text, _, place = message.partition(" - at `")
    pointer = place.rstrip("`").removeprefix("$").replace("[", "/").replace("]", "").replace(".", "/").strip("/")
    if "missing required field `" in text or "unknown field `" in text:
        pointer = f"{pointer}/{text.rpartition('field `')[2].rstrip('`')}".strip("/")
    return {pointer: reason(request, text)}
