"""What SELECT names, and under which names the answer holds it."""

from __future__ import annotations

from sekkei.engine.errors import ValidationException
from sekkei.engine.partiql.nodes import Projection
from sekkei.engine.partiql.paths import DocumentPath, document_path
from sekkei.engine.values import AttributeValue, Item


class Columns:
    """The columns of a SELECT list: `a.b[0]` is answered as `b[0]`, beside nothing of what stands around it."""

    def __init__(self, paths: list[DocumentPath]) -> None:
        self._paths = {_name(path): path for path in paths}
        self.top_level = tuple(dict.fromkeys(str(path[0]) for path in paths))
        """The attributes that the columns lie in."""

    def project(self, item: Item) -> Item:
        found: Item = {}
        for name, path in self._paths.items():
            value = _at(item, path)
            if value is not None:
                found[name] = value
        return found


def columns_of(projections: tuple[Projection, ...]) -> Columns | None:
    """None for the star."""
    if any(projection.aliased for projection in projections):
        raise ValidationException("Aliasing is not supported")
    paths = [document_path(item.expression) for item in projections if item.expression is not None]
    if not paths:
        return None
    seen: set[str] = set()
    for name in map(_name, paths):
        if name in seen:
            raise ValidationException(f"Duplicate identifiers in select clause: {name}")
        seen.add(name)
    return Columns(paths)


def _name(path: DocumentPath) -> str:
    """The last name of a path, with the indexes behind it."""
    last = max(place for place, part in enumerate(path) if isinstance(part, str))
    return str(path[last]) + "".join(f"[{index}]" for index in path[last + 1 :])


def _at(item: Item, path: DocumentPath) -> AttributeValue | None:
    value: AttributeValue = {"M": item}
    for part in path:
        if isinstance(part, str):
            members: Item = value.get("M", {})
            if part not in members:
                return None
            value = members[part]
        else:
            elements: list[AttributeValue] = value.get("L", [])
            if part >= len(elements):
                return None
            value = elements[part]
    return value
