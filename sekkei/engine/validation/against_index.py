"""Checks of a query or a scan against the table or the index it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sekkei.engine.catalogue import Index, KeyPart, KeySchema, Table
from sekkei.engine.errors import ValidationException
from sekkei.engine.key_range import KeyRange, key_range, whole_segment
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.key_values import INVALID, check_not_empty, check_sizes, schema_mismatch
from sekkei.engine.values import AttributeValue, Item

_BAD_START = "The provided starting key is invalid"


class _Range(NamedTuple):
    """A key condition sorted out: the sort parts that must be equal, and the one comparison that may follow."""

    partition: list[AttributeValue]
    equal: list[AttributeValue]
    operator: str | None
    operands: Sequence[AttributeValue]

    def within(self, schema: KeySchema, partition: Sequence[AttributeValue]) -> KeyRange:
        return key_range(schema, partition, self.equal, self.operator, self.operands)

    @property
    def has_sort_condition(self) -> bool:
        return bool(self.equal) or self.operator is not None


def check_query(table: Table, checked: Checked) -> tuple[Index | None, KeyRange]:
    """The index that a query reads (None for the table itself) and the range of its keys."""
    index = _index(table, checked.request)
    schema = table.key if index is None else index.key
    conditions = checked.key_condition
    _check_number(conditions, schema)
    _check_start_count(table, index, checked.start_key, _BAD_START)
    wanted = _sorted_out(schema, conditions, checked.start_key)
    if checked.start_key is not None:
        _check_start_table_key(table, checked.start_key)
        _check_start_within(schema, wanted, checked.start_key)
    _check_scalar_keys(table, checked.projection)
    _check_filter(schema, checked)
    _check_selection(index, checked)
    _check_scalar_keys(table, checked.filter)
    return index, wanted.within(schema, wanted.partition)


def check_scan(table: Table, checked: Checked) -> Index | None:
    """The index that a scan reads; None for the table itself."""
    index = _index(table, checked.request)
    start = checked.start_key
    _check_start_count(table, index, start, _BAD_START if index else f"{_BAD_START}: {schema_mismatch().message}")
    if start is not None and index is not None:
        for part in index.key.parts:
            _check_start_part(part, start)
    _check_selection(index, checked)
    if start is not None:
        _check_start_table_key(table, start)
        _check_start_segment(table, index, checked)
    _check_scalar_keys(table, checked.projection)
    _check_scalar_keys(table, checked.filter)
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


def _check_number(conditions: dict[str, Any], schema: KeySchema) -> None:
    if len(conditions) > max(2, len(schema.parts)):
        raise ValidationException("Conditions can be of length 1 or 2 only")


def _sorted_out(schema: KeySchema, conditions: dict[str, Any], start: Item | None) -> _Range:
    """The condition as a range; what of it does not fit the schema is refused part by part, as is the start key."""
    if len(conditions) > len(schema.parts):
        raise ValidationException("Query key condition not supported")
    partition = []
    for part in schema.hash:
        _check_start_part(part, start)
        operator, operands = _condition_on(part, conditions)
        if operator != "EQ":
            raise ValidationException("Query key condition not supported")
        partition.append(operands[0])
    equal: list[AttributeValue] = []
    comparison: tuple[str | None, Sequence[AttributeValue]] = (None, ())
    unmet = len(conditions) - len(partition)
    for part in schema.range:
        _check_start_part(part, start)
        if not unmet:
            continue
        if comparison[0] is not None:
            raise ValidationException("Query key condition not supported")
        operator, operands = _condition_on(part, conditions)
        unmet -= 1
        if operator == "EQ":
            equal.append(operands[0])
        else:
            comparison = (operator, operands)
    return _Range(partition, equal, *comparison)


def _condition_on(part: KeyPart, conditions: dict[str, Any]) -> tuple[str, Sequence[AttributeValue]]:
    if part.name not in conditions:
        raise ValidationException(f"Query condition missed key schema element: {part.name}")
    operator, operands = conditions[part.name]
    if operator not in ("EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"):
        raise ValidationException("Attempted conditional constraint is not an indexable operation")
    for operand in operands:
        if part.type not in operand:
            raise ValidationException(f"{INVALID}Condition parameter type does not match schema type")
        check_not_empty(part.name, operand)
    return operator, operands


# The start key


def _check_start_count(table: Table, index: Index | None, start: Item | None, text: str) -> None:
    if start is None:
        return
    names = {*table.key.names, *(index.key.names if index else ())}
    if len(start) != len(names):
        raise ValidationException(text)


def _check_start_part(part: KeyPart, start: Item | None) -> None:
    if start is None:
        return
    value = start.get(part.name)
    if value is None:
        raise ValidationException(_BAD_START)
    if part.type not in value:
        raise schema_mismatch()
    check_not_empty(part.name, value)


def _check_start_table_key(table: Table, start: Item) -> None:
    for part in table.key.parts:
        if part.type not in start.get(part.name, ()):
            raise ValidationException(f"{_BAD_START}: {schema_mismatch().message}")
        check_not_empty(part.name, start[part.name])
    check_sizes(table.key, start)


def _check_start_within(schema: KeySchema, wanted: _Range, start: Item) -> None:
    partition = [start[part.name] for part in schema.hash]
    same_partition = partition == wanted.partition
    if not wanted.has_sort_condition:
        if not same_partition:
            raise ValidationException(
                "The provided starting key is outside query boundaries based on provided conditions"
            )
        return
    key = schema.bytes_of(start)
    assert key is not None, "every part has been checked"
    if not wanted.within(schema, partition).contains(key):
        raise ValidationException("The provided starting key does not match the range key predicate")
    if not same_partition:
        raise ValidationException("The query can return at most one row and cannot be restarted")


def _check_start_segment(table: Table, index: Index | None, checked: Checked) -> None:
    request = checked.request
    start = checked.start_key
    assert start is not None, "asked only of a scan that goes on"
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if segment is None:
        return
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


def _check_scalar_keys(table: Table, expression: Any) -> None:
    """No path leads into a key attribute."""
    if expression is None or not expression.nested:
        return
    of_indexes = {name for index in table.indexes.values() for name in index.key.names}
    for label, names in (("Key", table.key.names), ("IndexKey", sorted(of_indexes))):
        for name in names:
            if name in expression.nested:
                raise ValidationException(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                    f"{label}: {name}"
                )
