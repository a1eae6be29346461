"""Checks that need the table's schema: its items and keys, and queries or scans of the table or an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from sekkei.engine import expressions
from sekkei.engine.expressions.update import too_large
from sekkei.engine.items import numbers, values
from sekkei.engine.items.page import KeyRange, key_range, whole_segment
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.engine.operation import Checked, Condition, Update
from sekkei.engine.storage.catalogue import HASH_BYTES_MAX, RANGE_BYTES_MAX, Index, KeyPart, KeySchema, Table
from sekkei.errors import ValidationException

_INVALID = "One or more parameter values were invalid: "
# A character takes four bytes at most, so a key of no more than these needs no measuring.
_SHORT_CHARACTERS = RANGE_BYTES_MAX // 4


class EmptyKeyValue(ValidationException):
    """A key attribute, of the table or of an index, that is empty: a transaction answers so as a whole.

    Every other fault of a key is the reason of one action.
    """

    @property
    def code(self) -> str:
        return "ValidationException"


def _schema_mismatch() -> ValidationException:
    return ValidationException("The provided key element does not match the schema")


def check_not_empty(name: str, value: AttributeValue) -> None:
    """`value` is of a key's type: S, N or B."""
    for kind, content in value.items():
        if content == "":
            word = "string" if kind == "S" else "binary"
            raise EmptyKeyValue(
                "One or more parameter values are not valid. The AttributeValue for a key attribute "
                f"cannot contain an empty {word} value. Key: {name}"
            )


def _check_sizes(schema: KeySchema, item: Item) -> None:
    """The bytes of each half of the key. What an item lacks, or has with another type, is in no index at all."""
    characters = 0
    for part in schema.parts:
        value = item.get(part.name)
        if value is None or part.type not in value:
            return
        characters += len(value[part.type])
    if characters > _SHORT_CHARACTERS:
        _check_bytes(schema, item)


def _check_bytes(schema: KeySchema, item: Item) -> None:
    if _bytes(schema.hash, item) > HASH_BYTES_MAX:
        raise ValidationException(
            f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{HASH_BYTES_MAX} bytes"
        )
    if _bytes(schema.range, item) > RANGE_BYTES_MAX:
        raise ValidationException(
            f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of {RANGE_BYTES_MAX} bytes"
        )


def _bytes(parts: Sequence[KeyPart], item: Item) -> int:
    return sum(values.size(item[part.name]) for part in parts)


_PLAIN_ATTRIBUTES_MAX = 500
"""More are looked through beside the event loop, see `operation.is_large`."""
_PLAIN_NAME_MAX = 255


def measured_if_plain(item: Any) -> tuple[values.Item, int] | None:
    """An item of texts, whole numbers and truth values that is good and normal as it came, in dicts of its own, and its
    size: one look for all of it. None when it takes a closer one."""
    if type(item) is not dict or len(item) > _PLAIN_ATTRIBUTES_MAX:
        return None
    own, total = {}, 0
    try:
        for name, value in item.items():
            if type(name) is not str or not 0 < len(name) <= _PLAIN_NAME_MAX or not name.isascii():
                return None
            if type(value) is not dict:
                return None
            (kind,) = value
            content = value[kind]
            own[name] = {kind: content}
            if kind == "S":
                if type(content) is not str:
                    return None
                total += len(name) + (len(content) if content.isascii() else len(content.encode()))
            elif kind == "N" and type(content) is str and numbers.is_plainly_whole(content):
                total += len(name) + numbers.size(content)
            elif kind == "BOOL" and type(content) is bool:
                total += len(name) + 1
            else:
                return None
    except ValueError:  # a value has no type or several, or its text cannot be encoded
        return None
    return (own, total) if total <= values.ITEM_BYTES_MAX else None


def check_item_size(size: int) -> None:
    if size > values.ITEM_BYTES_MAX:
        raise ValidationException("Item size has exceeded the maximum allowed size")


def check_return_values(request: dict[str, Any]) -> None:
    """PutItem and DeleteItem have no new item to return."""
    if request.get("ReturnValues", "NONE") not in ("ALL_OLD", "NONE"):
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")


def start_key(given: dict[str, Any]) -> values.Item:
    """ExclusiveStartKey, normalised."""
    try:
        return values.normalised_item(given)
    except ValidationException as refusal:
        if refusal.message.startswith(_ABOUT_THE_KEY):
            raise ValidationException(f"The provided starting key is invalid: {refusal.message}") from None
        raise


# Faults of numbers and of members of sets are reported as they are, without a word about the key.
_ABOUT_THE_KEY = (
    "Supplied AttributeValue",
    "One or more parameter values were invalid: Null attribute",
    "One or more parameter values were invalid: An string set  may",
    "One or more parameter values were invalid: Binary sets should",
)


def check_distinct(keys: Sequence[values.Item]) -> None:
    """A batch names no key twice."""
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) != len(keys):
        raise ValidationException("Provided list of item keys contains duplicates")


def check_select(request: dict[str, Any], prefix: str = "") -> None:
    """`prefix` is how Query begins the texts and Scan does not."""
    select = request["Select"]
    chosen = next((name for name in ("ProjectionExpression", "AttributesToGet") if name in request), None)
    if select == "SPECIFIC_ATTRIBUTES":
        if chosen is None:
            raise ValidationException(
                f"{prefix}Must specify the AttributesToGet or ProjectionExpression "
                "when choosing to get SPECIFIC_ATTRIBUTES"
            )
    elif chosen is not None:
        what = "only the Count" if select == "COUNT" else select
        raise ValidationException(f"{prefix}Cannot specify the {chosen} when choosing to get {what}")
    if select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request:
        raise ValidationException(f"{prefix}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


_BAD_START = "The provided starting key is invalid"
_BAD_START_ELEMENT = f"{_BAD_START}: The provided key element does not match the schema"


def check_query(table: Table, checked: Checked) -> tuple[Index | None, KeyRange]:
    """The index that a query reads (None for the table itself) and the range of its keys."""
    index = _index(table, checked.request)
    schema = table.key if index is None else index.key
    start, tests = checked.start_key, checked.key_condition
    assert tests is not None, "a query without a key condition is refused before"
    if start is not None:
        _check_start_count(table, index, start, _BAD_START)
        _check_start_parts(schema.hash, start)
        _check_start_makes_sense(table, index, start)
    wanted = tests.on(schema)
    _check_operands(tests)
    if start is not None:
        _check_start_parts(schema.range, start)
        _check_start_table_key(table, start)
        _check_start_within(schema, wanted, start)
    check_scalar_keys(table, checked.projection)
    _check_filter(schema, checked)
    _check_selection(index, checked)
    check_scalar_keys(table, checked.filter)
    return index, _bytes_of(schema, wanted, wanted.hash)


def check_scan(table: Table, checked: Checked) -> Index | None:
    """The index that a scan reads; None for the table itself."""
    index = _index(table, checked.request)
    start = checked.start_key
    if start is not None:
        _check_start_count(table, index, start, _BAD_START if index else _BAD_START_ELEMENT)
        _check_start_parts(index.key.parts if index else (), start)
    _check_selection(index, checked)
    if start is not None:
        _check_start_table_key(table, start)
        _check_start_segment(table, index, checked.request, start)
    check_scalar_keys(table, checked.projection)
    check_scalar_keys(table, checked.filter)
    return index


def _index(table: Table, request: dict[str, Any]) -> Index | None:
    name = request.get("IndexName")
    if name is None:
        return None
    index = table.indexes.get(name)
    if index is None:
        raise ValidationException(f"The table does not have the specified index: {name}")
    if index.is_global and request.get("ConsistentRead"):
        raise ValidationException("Consistent reads are not supported on global secondary indexes")
    if not index.ready:
        raise ValidationException(f"Cannot read from backfilling global secondary index: {name}")
    return index


# The key condition


def _check_operands(tests: expressions.KeyTests) -> None:
    for name, test in tests.items():
        for operand in test.operands:
            check_not_empty(name, operand)


def _bytes_of(schema: KeySchema, wanted: expressions.KeyRange, partition: Sequence[AttributeValue]) -> KeyRange:
    if wanted.test is None:
        return key_range(schema, partition, wanted.equal)
    return key_range(schema, partition, wanted.equal, *wanted.test)


# The start key


def _check_start_makes_sense(table: Table, index: Index | None, start: Item) -> None:
    """A partition of one item has nothing after that item."""
    if index is None and not table.key.range:
        ((name, value),) = start.items()
        ((kind, content),) = value.items()
        raise ValidationException(
            "The provided exclusive start key is invalid: "
            f"ExclusiveStartKey: {{{name}=AttributeValue: {{{kind}:{content}}}}}"
        )


def _check_start_count(table: Table, index: Index | None, start: Item, text: str) -> None:
    names = {*table.key.names, *(index.key.names if index else ())}
    if len(start) != len(names):
        raise ValidationException(text)


def _check_start_parts(parts: Sequence[KeyPart], start: Item) -> None:
    for part in parts:
        value = start.get(part.name)
        if value is None:
            raise ValidationException(_BAD_START)
        if part.type not in value:
            raise _schema_mismatch()
        check_not_empty(part.name, value)


def _check_start_table_key(table: Table, start: Item) -> None:
    for part in table.key.parts:
        if part.type not in start.get(part.name, ()):
            raise ValidationException(_BAD_START_ELEMENT)
        check_not_empty(part.name, start[part.name])
    _check_sizes(table.key, start)


def _check_start_within(schema: KeySchema, wanted: expressions.KeyRange, start: Item) -> None:
    partition = tuple(start[part.name] for part in schema.hash)
    if not wanted.equal and wanted.test is None:
        if partition != wanted.hash:
            raise ValidationException(
                "The provided starting key is outside query boundaries based on provided conditions"
            )
        return
    key = schema.bytes_of(start)
    assert key is not None, "every part has been checked"
    if not _bytes_of(schema, wanted, partition).contains(key):
        raise ValidationException("The provided starting key does not match the range key predicate")
    if partition != wanted.hash:
        raise ValidationException("The query can return at most one row and cannot be restarted")


def _check_start_segment(table: Table, index: Index | None, request: dict[str, Any], start: Item) -> None:
    segment, total = request.get("Segment"), request.get("TotalSegments")
    key = table.key_bytes(start) if index is None else index.key.bytes_of(start)
    if key is None or not whole_segment(segment, total).contains(key):
        raise ValidationException(
            f"{_BAD_START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
            f"TotalSegments: {total} Segment: {segment}"
        )


# What is asked of each item


def _check_filter(schema: KeySchema, checked: Checked) -> None:
    if checked.filter is None:
        return
    for name in schema.names:
        if name in checked.filter.attributes:
            filtering = "QueryFilter" if "QueryFilter" in checked.request else "Filter Expression"
            raise ValidationException(
                f"{filtering} can only contain non-primary key attributes: Primary key attribute: {name}"
            )


def _check_selection(index: Index | None, checked: Checked) -> None:
    """A global index holds what is projected into it and nothing else."""
    if index is None or not index.is_global or index.projected is None:
        return
    if checked.request.get("Select") == "ALL_ATTRIBUTES":
        raise ValidationException(
            f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    if checked.projection is not None:
        missing = sorted(checked.projection.attributes - index.projected)
        if missing:
            raise ValidationException(
                f"{_INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
            )


def check_scalar_keys(table: Table, expression: expressions.Projection | Condition | Update | None) -> None:
    """No path leads into a key attribute."""
    if expression is None or not expression.nested:
        return
    for label, names in (("Key", table.key.names), ("IndexKey", sorted(table.index_attributes))):
        for name in names:
            if name in expression.nested:
                raise ValidationException(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                    f"{label}: {name}"
                )


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
        raise _schema_mismatch()
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
            raise _schema_mismatch()
        check_not_empty(part.name, value)
    _check_sizes(schema, key)


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
            raise ValidationException(f"{_INVALID}Missing the key {part.name} in the item")
        if part.type not in value:
            raise ValidationException(
                f"{_INVALID}Type mismatch for key {part.name} expected: {part.type} actual: {values.type_of(value)}"
            )
        check_not_empty(part.name, value)
    _check_sizes(table.key, item)


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
        _check_sizes(index.key, item)


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
        f"{_INVALID}Type mismatch for Index Key {part.name} Expected: {part.type} "
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
                f"{_INVALID}Cannot update attribute {part.name}. This attribute is part of the key"
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
    return ValidationException(f"{_INVALID}Cannot update attribute {part.name}. This attribute is part of the key")


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
        _check_sizes(index.key, after)


def check_no_duplicates(targets: Sequence[tuple[Table, bytes]]) -> None:
    """A batch writes no item twice: each is given by its table and its key's bytes."""
    if len({(table.id, key) for table, key in targets}) != len(targets):
        raise ValidationException("Provided list of item keys contains duplicates")
