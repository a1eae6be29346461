"""What those see who look after every commit: always what is stored, and no row decoded twice."""

from __future__ import annotations

from typing import Any

from sekkei.worlds import Truth
from sekkei.worlds.chance import dice_of
from sekkei.worlds.clock import WorldClock
from sekkei.worlds.loop import VirtualLoop

KEY = {"AttributeName": "id", "AttributeType": "S"}


def truth() -> Truth:
    found = Truth(WorldClock(VirtualLoop(), dice_of(1, "mirror")), 1)
    schema = [{"AttributeName": "id", "KeyType": "HASH"}]
    request = {
        "TableName": "table",
        "AttributeDefinitions": [KEY],
        "KeySchema": schema,
        "BillingMode": "PAY_PER_REQUEST",
    }
    found.now("CreateTable", request)
    return found


def item(id: str, value: int) -> dict[str, Any]:
    return {"id": {"S": id}, "value": {"N": str(value)}}


def put(to: Truth, id: str, value: int) -> None:
    to.now("PutItem", {"TableName": "table", "Item": item(id, value)})


def stored(of: Truth) -> list[dict[str, Any]]:
    return sorted(of.items("table"), key=lambda each: str(each["id"]))


def test_every_kind_of_write_is_seen() -> None:
    found = truth()
    assert stored(found) == []
    put(found, "a", 1)
    assert stored(found) == [item("a", 1)]
    add = {"UpdateExpression": "ADD #v :one", "ExpressionAttributeNames": {"#v": "value"}}
    key = {"TableName": "table", "Key": {"id": {"S": "a"}}}
    found.now("UpdateItem", {**key, **add, "ExpressionAttributeValues": {":one": {"N": "1"}}})
    found.now("BatchWriteItem", {"RequestItems": {"table": [{"PutRequest": {"Item": item("b", 5)}}]}})
    assert stored(found) == [item("a", 2), item("b", 5)]
    found.now("TransactWriteItems", {"TransactItems": [{"Delete": key}]})
    assert stored(found) == [item("b", 5)]
    found.now("DeleteItem", {"TableName": "table", "Key": {"id": {"S": "b"}}})
    assert stored(found) == []


def test_only_what_was_written_is_decoded_again() -> None:
    found, decoded = truth(), []

    def decode(each: dict[str, Any]) -> int:
        decoded.append(each["id"]["S"])
        return int(each["value"]["N"])

    put(found, "a", 1)
    put(found, "b", 2)
    assert sorted(found.mirror.decoded("table", decode)) == [1, 2]
    put(found, "b", 3)
    assert sorted(found.mirror.decoded("table", decode)) == [1, 3]
    assert sorted(decoded) == ["a", "b", "b"]


def test_what_has_expired_is_gone_after_the_sweep() -> None:
    found = truth()
    put(found, "a", 1)
    given = {"TableName": "table", "TimeToLiveSpecification": {"AttributeName": "value", "Enabled": True}}
    found.now("UpdateTimeToLive", given)
    assert len(stored(found)) == 1
    found.sweep()
    assert stored(found) == [item("a", 1)], "1970 is too long ago to be a time of expiry"
    put(found, "b", int(found.clock.now()) - 100)
    assert len(stored(found)) == 2
    found.sweep()
    assert stored(found) == [item("a", 1)]
