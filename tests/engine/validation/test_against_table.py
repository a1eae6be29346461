"""What does not fit a table's schema, in DynamoDB's words."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.validation import against_table
from tests.engine.refusals import refusal_of
from tests.engine.validation.tables import EMPTY, HASH, INVALID, MISMATCH, OTHERS, RANGE, s, table

HASH_SIZE = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
RANGE_SIZE = INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"


# Keys and items


@pytest.mark.parametrize("key", [{}, {"b": s("a")}, {"a": s("a"), "b": s("b")}, *({"a": value} for value in OTHERS)])
def test_keys_that_do_not_match(key: dict[str, Any]) -> None:
    assert refusal_of(against_table.check_key, HASH, key) == MISMATCH
    assert refusal_of(against_table.check_keys, HASH, [{"a": s("a")}, key]) == MISMATCH


def test_empty_and_long_keys() -> None:
    binary = table("a", "-b", types="bB")
    assert refusal_of(against_table.check_key, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    assert refusal_of(against_table.check_key, binary, {"a": s("a"), "b": {"B": ""}}) == EMPTY.format("binary", "b")
    against_table.check_key(RANGE, {"a": s("a" * 2048), "b": s("b" * 1024)})
    assert refusal_of(against_table.check_key, HASH, {"a": s("a" * 2049)}) == HASH_SIZE
    assert refusal_of(against_table.check_key, HASH, {"a": s("é" * 1025)}) == HASH_SIZE
    assert refusal_of(against_table.check_key, RANGE, {"a": s("a"), "b": s("b" * 1025)}) == RANGE_SIZE


def test_items_without_a_key() -> None:
    assert refusal_of(against_table.item_key_bytes, HASH, {}) == INVALID + "Missing the key a in the item"
    assert refusal_of(against_table.item_key_bytes, RANGE, {"a": s("a")}) == INVALID + "Missing the key b in the item"
    for value in OTHERS:
        kind = next(iter(value))
        text = INVALID + f"Type mismatch for key a expected: S actual: {kind}"
        assert refusal_of(against_table.item_key_bytes, HASH, {"a": value}) == text
    assert refusal_of(against_table.item_key_bytes, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    assert refusal_of(against_table.item_key_bytes, HASH, {"a": s("a" * 2049)}) == HASH_SIZE


def test_a_batch_has_one_wording() -> None:
    for item in ({}, {"a": {"N": "1"}}, {"b": s("b")}):
        assert refusal_of(against_table.check_batch_item, HASH, item) == MISMATCH
    assert refusal_of(against_table.check_batch_item, HASH, {"a": s("")}) == EMPTY.format("string", "a")
    against_table.check_batch_item(HASH, {"a": s("a"), "b": {"N": "1"}})


def test_index_keys_of_an_item() -> None:
    item = {"a": s("a"), "b": s("b")}
    against_table.item_key_bytes(RANGE, {**item, "x": {"N": "1"}})
    text = INVALID + "Type mismatch for Index Key c Expected: S Actual: N IndexName: gkeys"
    assert refusal_of(against_table.item_key_bytes, RANGE, {**item, "c": {"N": "1"}}) == text
    assert refusal_of(against_table.check_batch_item, RANGE, {**item, "c": {"N": "1"}}) == text
    assert refusal_of(against_table.item_key_bytes, RANGE, {**item, "c": s("")}) == (
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. "
        "IndexName: gkeys, IndexKey: c"
    )
    assert refusal_of(against_table.item_key_bytes, RANGE, {**item, "c": s("c" * 1025)}) == RANGE_SIZE


def test_an_empty_key_value_can_be_told_from_the_rest() -> None:
    for item in ({"a": s("")}, {"a": s("a"), "b": s("b"), "c": s("")}):
        with pytest.raises(against_table.EmptyKeyValue):
            against_table.item_key_bytes(RANGE, item)


def test_a_batch_writes_no_item_twice() -> None:
    def targets(*keys: str) -> list[tuple[Table, bytes]]:
        deletes = [{"DeleteRequest": {"Key": {"a": {"N": key}}}} for key in keys]
        numbers = table("a", types="aN")
        checked = operations.check("BatchWriteItem", {"RequestItems": {"abc": deletes}})
        return [(numbers, numbers.key_bytes(part.key or {})) for part in checked.parts]

    against_table.check_no_duplicates(targets("1", "2"))
    text = refusal_of(against_table.check_no_duplicates, targets("1", "1.0"))
    assert text == "Provided list of item keys contains duplicates"


# Updates


def update(text: str, **values: Any) -> Any:
    request = {"TableName": "abc", "Key": {}, "UpdateExpression": text}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    return operations.check("UpdateItem", request).update


def test_updates_leave_the_key_alone() -> None:
    text = INVALID + "Cannot update attribute b. This attribute is part of the key"
    assert refusal_of(against_table.check_update, RANGE, update("SET b = :v", v=s("x"))) == text
    assert refusal_of(against_table.check_update, RANGE, update("REMOVE x, b")) == text
    legacy = {"TableName": "abc", "Key": {}, "AttributeUpdates": {"b": {"Value": s("x")}}}
    assert refusal_of(against_table.check_update, RANGE, operations.check("UpdateItem", legacy).update) == text
    assert refusal_of(against_table.check_updated_item, RANGE, {"a": s("1"), "b": s("2")}, {"a": s("1")}) == text
    against_table.check_update(RANGE, update("SET c = :v", v=s("x")))
    against_table.check_update(RANGE, None)


def test_updates_treat_index_keys_as_scalars() -> None:
    text = refusal_of(against_table.check_update, RANGE, update("SET c.x = :v", v=s("x")))
    assert text == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: c"
    )


@pytest.mark.parametrize(
    ("text", "kind"), [("SET c = :v", "N"), ("ADD c :v", "N"), ("SET c = x + :v", "N"), ("SET d.x = x, c = :v", "N")]
)
def test_a_wrong_type_for_an_index_key_is_seen_without_the_item(text: str, kind: str) -> None:
    refused = refusal_of(against_table.check_update, RANGE, update(text, v={"N": "1"}))
    assert refused == INVALID + f"Type mismatch for Index Key c Expected: S Actual: {kind} IndexName: gkeys"


def test_a_type_that_depends_on_the_item_is_judged_later() -> None:
    against_table.check_update(RANGE, update("SET c = x"))
    against_table.check_update(RANGE, update("SET c = if_not_exists(x, :v)", v={"N": "1"}))


def test_items_after_an_update() -> None:
    before = {"a": s("a"), "b": s("b"), "c": {"N": "1"}}
    against_table.check_updated_item(RANGE, before, {**before, "x": s("x")})
    text = refusal_of(against_table.check_updated_item, RANGE, before, {**before, "c": {"N": "2"}})
    assert text == "The update expression attempted to update the secondary index key to unsupported type"
    text = refusal_of(against_table.check_updated_item, RANGE, before, {**before, "c": s("")})
    assert text == (
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."
    )
    text = refusal_of(against_table.check_updated_item, RANGE, before, {**before, "x": s("x" * 410_000)})
    assert text == "Item size to update has exceeded the maximum allowed size"
