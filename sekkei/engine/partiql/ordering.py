"""ORDER BY: by the key, and only where the WHERE clause names the partitions."""

from __future__ import annotations

from typing import NamedTuple

from sekkei.engine.items import keys
from sekkei.engine.partiql.key_plan import Read
from sekkei.engine.partiql.paths import document_path
from sekkei.engine.partiql.prepared import Selection
from sekkei.engine.storage.catalogue import KeySchema
from sekkei.errors import ValidationException


class Order(NamedTuple):
    """How reads are arranged, and which way each walks."""

    partitions_descending: bool
    descending: bool
    """Within a partition."""

    def arranged(self, reads: list[Read]) -> list[Read]:
        """Reads do not overlap, so walking them one after the other is walking in order."""
        inner = sorted(reads, key=lambda read: read.within.low, reverse=self.descending)
        return sorted(inner, key=lambda read: keys.part_bytes(read.partition), reverse=self.partitions_descending)


def order_of(selection: Selection, schema: KeySchema, reads: list[Read] | None) -> Order | None:
    """None when the statement asks for no order; raises for one that cannot be had."""
    if not selection.select.orderings:
        return None
    if selection.where is None:
        raise ValidationException("Must have WHERE clause in the statement when using ORDER BY clause.")
    wanted: dict[str, bool] = {}
    for ordering in selection.select.orderings:
        path = document_path(ordering.expression)
        if len(path) > 1 or path[0] not in schema.names:
            raise ValidationException(f"Attribute {path[0]} in ORDER BY clause must be part of the primary key")
        wanted.setdefault(str(path[0]), ordering.descending)
    if not reads:
        raise ValidationException(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )
    hash_name = schema.hash[0].name
    if hash_name not in wanted and len({repr(read.partition) for read in reads}) > 1:
        raise ValidationException(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    # Without a word about the sort key DynamoDB walks against it.
    descending = wanted.get(schema.range[0].name, True) if schema.range else False
    return Order(wanted.get(hash_name, False), descending)
