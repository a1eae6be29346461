"""The OpenAPI 3.1 document of an API, out of its declarations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec
from markupsafe import Markup, escape

from sekkei.web.given import path_names

if TYPE_CHECKING:
    from sekkei.web.api import Api, Operation

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
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, schemas)
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


def _operation(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
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
