"""Checks of a query or a scan against the table or the index it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.engine import expressions
from sekkei.engine.items.key_range import KeyRange, key_range, whole_segment
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.engine.operation import Checked, Condition, Update
from sekkei.engine.storage.catalogue import Index, KeyPart, KeySchema, Table
from sekkei.engine.validation.key_values import INVALID, check_not_empty, check_sizes, schema_mismatch
from sekkei.errors import ValidationException

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
            raise schema_mismatch()
        check_not_empty(part.name, value)


def _check_start_table_key(table: Table, start: Item) -> None:
    for part in table.key.parts:
        if part.type not in start.get(part.name, ()):
            raise ValidationException(_BAD_START_ELEMENT)
        check_not_empty(part.name, start[part.name])
    check_sizes(table.key, start)


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
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index.name} "
            "because its projection type is not ALL"
        )
    if checked.projection is not None:
        missing = sorted(checked.projection.attributes - index.projected)
        if missing:
            raise ValidationException(
                f"{INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
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
