"""Checks that need the table's schema: keys, items and what is asked of an index.

Queries and scans have theirs in `against_index`, which this module offers under the same roof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sekkei.engine.expressions.update import too_large
from sekkei.engine.items import values
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.engine.operation import Update
from sekkei.engine.storage.catalogue import KeyPart, KeySchema, Table
from sekkei.engine.validation.against_index import check_query, check_scalar_keys, check_scan
from sekkei.engine.validation.key_values import (
    INVALID,
    EmptyKeyValue,
    check_not_empty,
    check_sizes,
    schema_mismatch,
)
from sekkei.errors import ValidationException

__all__ = [
    "EmptyKeyValue",
    "check_batch_item",
    "check_key",
    "check_keys",
    "check_no_duplicates",
    "check_query",
    "check_scalar_keys",
    "check_scan",
    "check_update",
    "check_updated_item",
    "item_key_bytes",
    "key_bytes",
]


def check_key(table: Table, key: Item) -> None:
    """The Key of a request: the key attributes, all of them and nothing else."""
    if len(key) != len(table.key.names):
        raise schema_mismatch()
    _check_key_values(table.key, key)


def key_bytes(table: Table, key: Item) -> bytes:
    """The bytes of the Key of a request, once it is found good."""
    found = table.key.text_bytes(key)
    if found is not None and len(key) == len(table.key.names):
        return found
    check_key(table, key)
    return table.key_bytes(key)


def check_keys(table: Table, keys: Iterable[Item]) -> None:
    for key in keys:
        check_key(table, key)


def _check_key_values(schema: KeySchema, key: Item) -> None:
    if schema.is_plainly_in(key):
        return
    for part in schema.parts:
        value = key.get(part.name)
        if value is None or part.type not in value:
            raise schema_mismatch()
        check_not_empty(part.name, value)
    check_sizes(schema, key)


def item_key_bytes(table: Table, item: Item) -> bytes:
    """The key bytes of an item to be put: its key is there and of the right types, and so are the index keys it has."""
    found = table.key.text_bytes(item)
    if found is None:
        _check_item_key(table, item)
        found = table.key_bytes(item)
    if table.indexes:
        _check_index_keys(table, item)
    return found


def _check_item_key(table: Table, item: Item) -> None:
    for part in table.key.parts:
        value = item.get(part.name)
        if value is None:
            raise ValidationException(f"{INVALID}Missing the key {part.name} in the item")
        if part.type not in value:
            raise ValidationException(
                f"{INVALID}Type mismatch for key {part.name} expected: {part.type} actual: {values.type_of(value)}"
            )
        check_not_empty(part.name, value)
    check_sizes(table.key, item)


def check_batch_item(table: Table, item: Item) -> None:
    """As `item_key_bytes`, in the one wording that BatchWriteItem has for a wrong key."""
    _check_key_values(table.key, item)
    _check_index_keys(table, item)


def _check_index_keys(table: Table, item: Item) -> None:
    for index in table.indexes.values():
        if index.key.is_plainly_in(item):
            continue
        for part in index.key.parts:
            value = item.get(part.name)
            if value is not None and not value.get(part.type):
                raise _index_key_refusal(table, item)
        check_sizes(index.key, item)


def _index_key_refusal(table: Table, item: Item) -> ValidationException:
    """What is wrong with the first bad index key, by the names of the indexes."""
    index_name, part, value = next(_bad_index_keys(table, item))
    if part.type not in value:
        return _type_refusal(index_name, part, values.type_of(value))
    return EmptyKeyValue(
        "One or more parameter values are not valid. A value specified for a secondary index key is not "
        f"supported. The AttributeValue for a key attribute cannot contain an empty {_word(part)} value. "
        f"IndexName: {index_name}, IndexKey: {part.name}"
    )


def _bad_index_keys(table: Table, item: Item) -> Iterator[tuple[str, KeyPart, AttributeValue]]:
    for name, index in sorted(table.indexes.items()):
        for part in index.key.parts:
            value = item.get(part.name)
            if value is not None and not value.get(part.type):
                yield name, part, value


def _type_refusal(index_name: str, part: KeyPart, actual: str) -> ValidationException:
    return ValidationException(
        f"{INVALID}Type mismatch for Index Key {part.name} Expected: {part.type} "
        f"Actual: {actual} IndexName: {index_name}"
    )


def _word(part: KeyPart) -> str:
    return "string" if part.type == "S" else "binary"


def check_update(table: Table, update: Update | None) -> None:
    """An update leaves the key alone, and treats index keys as the scalars they are."""
    if update is None:
        return
    for part in table.key.parts:
        if part.name in update.changed:
            raise ValidationException(
                f"{INVALID}Cannot update attribute {part.name}. This attribute is part of the key"
            )
    if not table.index_attributes.isdisjoint(update.changed):
        _check_index_types(table, update.kinds())
    check_scalar_keys(table, update)


def _check_index_types(table: Table, kinds: Mapping[str, str]) -> None:
    """What an update will make of an index key is refused before any item is looked at, where it can be seen."""
    for name, index in sorted(table.indexes.items()):
        for part in index.key.parts:
            kind = kinds.get(part.name, part.type)
            if kind != part.type:
                raise _type_refusal(name, part, kind)


def _key_update(part: KeyPart) -> ValidationException:
    return ValidationException(f"{INVALID}Cannot update attribute {part.name}. This attribute is part of the key")


def check_updated_item(table: Table, before: Item, after: Item) -> int:
    """An item after an update: not too large, its key as before, and the index keys that changed still fit.

    Gives its size.
    """
    size = values.item_size(after)
    if size > values.ITEM_BYTES_MAX:
        raise too_large()
    for part in table.key.parts:
        if after.get(part.name) != before.get(part.name):
            raise _key_update(part)
    if not all(index.key.is_plainly_in(after) for index in table.indexes.values()):
        _check_updated_index_keys(table, before, after)
    return size


def _check_updated_index_keys(table: Table, before: Item, after: Item) -> None:
    for _, part, value in _bad_index_keys(table, after):
        if value == before.get(part.name):
            continue
        if part.type not in value:
            raise ValidationException(
                "The update expression attempted to update the secondary index key to unsupported type"
            )
        raise EmptyKeyValue(
            "One or more parameter values are not valid. The update expression attempted to update a secondary "
            "index key to a value that is not supported. The AttributeValue for a key attribute cannot contain "
            f"an empty {_word(part)} value."
        )
    for index in table.indexes.values():
        check_sizes(index.key, after)


def check_no_duplicates(targets: Sequence[tuple[Table, bytes]]) -> None:
    """A batch writes no item twice: each is given by its table and its key's bytes."""
    if len({(table.id, key) for table, key in targets}) != len(targets):
        raise ValidationException("Provided list of item keys contains duplicates")
