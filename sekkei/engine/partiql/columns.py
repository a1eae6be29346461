"""What SELECT names, and under which names the answer holds it."""

from __future__ import annotations

from sekkei.engine.expressions import Projection, paths
from sekkei.engine.items.values import Item
from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.paths import DocumentPath, document_path
from sekkei.errors import ValidationException


class Columns(Projection):
    """The columns of a SELECT list: `a.b[0]` is answered as `b[0]`, beside nothing of what stands around it."""

    __slots__ = ("_columns", "in_order")

    def __init__(self, columns: list[DocumentPath]) -> None:
        super().__init__(columns)
        self._columns = {_name(path): path for path in columns}
        self.in_order = tuple(dict.fromkeys(str(path[0]) for path in columns))
        """The attributes that the columns lie in, as the statement names them."""

    def project(self, item: Item) -> Item:
        found: Item = {}
        for name, path in self._columns.items():
            value = paths.find(item, path)
            if value is not None:
                found[name] = value
        return found


def columns_of(projections: tuple[nodes.Projection, ...]) -> Columns | None:
    """None for the star."""
    if any(projection.aliased for projection in projections):
        raise ValidationException("Aliasing is not supported")
    columns = [document_path(item.expression) for item in projections if item.expression is not None]
    if not columns:
        return None
    seen: set[str] = set()
    for name in map(_name, columns):
        if name in seen:
            raise ValidationException(f"Duplicate identifiers in select clause: {name}")
        seen.add(name)
    return Columns(columns)


def _name(path: DocumentPath) -> str:
    """The last name of a path, with the indexes behind it."""
    last = max(place for place, part in enumerate(path) if isinstance(part, str))
    return str(path[last]) + "".join(f"[{index}]" for index in path[last + 1 :])
