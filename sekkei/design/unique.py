"""Uniqueness beyond the key, by marker rows.

A global index cannot promise uniqueness: it is a little behind. So every unique value gets a row of its own, whose key
is the value and which names its owner. The row is written, moved and deleted in the same transaction as the owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .codecs import AttributeValue
from .entity import Entity
from .errors import DesignError
from .fields import Attr, attr, part
from .keys import Key
from .model import Values, model
from .templates import Template

if TYPE_CHECKING:
    from .table import Table

M = TypeVar("M")


@model
class UniqueKey:
    """A value that is taken, and by whom."""

    value: Attr[str] = part(ja="一意な値（例: EMAIL#…）", en="the unique value, such as EMAIL#…")
    owner: Attr[dict[str, str]] = attr(ja="所有者のキー", en="the key of the item that owns the value")


def marker_entity(table: Table, type: str | None, added: bool) -> Entity[[str], UniqueKey]:
    """Marker rows in a table; with a sort key, both halves of the key are the value."""

    def one_half(value: str) -> Key:
        return Key(value)

    def both_halves(value: str) -> Key:
        return Key(value, value)

    function = one_half if table.sk is None else both_halves
    function.__name__ = "unique_keys"
    declare = table.entity(UniqueKey, type=type, ja="一意性の目印", en="uniqueness marker", added=added)
    return declare(function)


class Unique(Generic[M]):
    """One uniqueness of an entity, such as "EMAIL#{email}"."""

    def __init__(self, entity: Entity[..., M], text: str, markers: Entity[[str], UniqueKey]) -> None:
        self.entity, self.markers = entity, markers
        self.template = Template(
            text, entity.model.fields, entity.model.delimiter, f"unique({text!r}) of {entity.name}"
        )
        if markers.model.cls is not UniqueKey:
            raise DesignError(
                "SK136", f"{self.template.place}: pass what table.markers() returned, not {markers.name}."
            )
        if self.template.whole:
            raise DesignError(
                "SK137",
                f"{self.template.place}: begin with a constant, such as 'EMAIL#{{email}}', so that two kinds of "
                "unique values never meet.",
            )
        markers.marked.append(self)
        fields = (component.field for component in self.template.components)
        self.bases = frozenset().union(*(entity.model.bases(field) for field in fields))

    def value_of(self, values: Mapping[str, Any]) -> str | None:
        """The marker's value for an item; None when a part is absent. Raises Unknown for what is not known."""
        stored = self.template.encode(Values(self.entity.model, values))
        return None if stored is None else stored["S"]

    def owner(self, key: Mapping[str, AttributeValue]) -> AttributeValue:
        """How a marker names its owner."""
        return {"M": {name: {"S": next(iter(value.values()))} for name, value in key.items()}}

    def __repr__(self) -> str:
        return f"<unique {self.template.text} of {self.entity.name}>"
