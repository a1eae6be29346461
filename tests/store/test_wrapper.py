"""A store around a store: its hooks, and the parts of each kind of request."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import ResourceNotFoundException
from sekkei.store import Embedded
from sekkei.store.protocol import Request, Response
from sekkei.store.wrapper import Wrapper, consumed, parts_of

KEY = {"pk": {"S": "a"}}
ITEM = {**KEY, "v": {"N": "1"}}


class Noting(Wrapper):
    def __init__(self) -> None:
        super().__init__(Embedded())
        self.notes: list[str] = []

    def before(self, operation: str, request: Request) -> Request:
        self.notes.append("before")
        return request

    def after(self, operation: str, request: Request, response: Response) -> Response:
        self.notes.append("after")
        return {**response, "seen": True}

    def failed(self, operation: str, request: Request, error: BaseException) -> None:
        self.notes.append(type(error).__name__)


async def test_each_call_has_its_hooks() -> None:
    store = Noting()
    assert await store.call("ListTables", {}) == {"TableNames": [], "seen": True}
    with pytest.raises(ResourceNotFoundException):
        await store.call("DescribeTable", {"TableName": "none"})
    await store.close()
    assert store.notes == ["before", "after", "before", "ResourceNotFoundException"]


async def test_a_plain_wrapper_changes_nothing() -> None:
    store = Wrapper(inside := Embedded())
    assert (repr(store), store.answers_surely, store.version()) == (repr(inside), True, inside.version())
    assert await store.call("ListTables", {}) == {"TableNames": []}
    await store.close()


@pytest.mark.parametrize(
    ("operation", "request_", "parts"),
    [
        ("GetItem", {"TableName": "t", "Key": KEY}, [("t", "GetItem", KEY)]),
        ("PutItem", {"TableName": "t", "Item": ITEM}, [("t", "PutItem", ITEM)]),
        ("UpdateItem", {"TableName": "t", "Key": KEY}, [("t", "UpdateItem", KEY)]),
        ("DeleteItem", {"TableName": "t", "Key": KEY}, [("t", "DeleteItem", KEY)]),
        (
            "BatchGetItem",
            {"RequestItems": {"t": {"Keys": [KEY]}, "u": {"Keys": [KEY]}}},
            [("t", "GetItem", KEY), ("u", "GetItem", KEY)],
        ),
        (
            "BatchWriteItem",
            {"RequestItems": {"t": [{"PutRequest": {"Item": ITEM}}, {"DeleteRequest": {"Key": KEY}}]}},
            [("t", "PutItem", ITEM), ("t", "DeleteItem", KEY)],
        ),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "t", "Key": KEY}}]}, [("t", "GetItem", KEY)]),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {"Put": {"TableName": "t", "Item": ITEM}},
                    {"Update": {"TableName": "u", "Key": KEY}},
                    {"Delete": {"TableName": "t", "Key": KEY}},
                    {"ConditionCheck": {"TableName": "t", "Key": KEY}},
                ]
            },
            [
                ("t", "PutItem", ITEM),
                ("u", "UpdateItem", KEY),
                ("t", "DeleteItem", KEY),
                ("t", "ConditionCheckItem", KEY),
            ],
        ),
    ],
)
def test_parts(operation: str, request_: dict[str, Any], parts: list[tuple[str, str, Any]]) -> None:
    assert [(part.table, part.action, part.item) for part in parts_of(operation, request_)] == parts


@pytest.mark.parametrize("name", ["Query", "Scan"])
def test_a_range_is_one_part(name: str) -> None:
    (part,) = parts_of(name, {"TableName": "t", "IndexName": "i"})
    assert (part.table, part.action, part.request["IndexName"]) == ("t", name, "i")


def test_capacity_is_a_list_of_tables() -> None:
    assert consumed({}) == []
    assert consumed({"ConsumedCapacity": {"TableName": "t"}}) == [{"TableName": "t"}]
    assert consumed({"ConsumedCapacity": [{"TableName": "t"}]}) == [{"TableName": "t"}]
