"""BatchWriteItem."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import (
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import keys, refusal


async def test_a_batch_writes_and_deletes(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="gone", sk=1)
    requests: list[dict[str, Any]] = [{"PutRequest": {"Item": item(pk="a", sk=n)}} for n in range(24)]
    requests.append({"DeleteRequest": {"Key": item(pk="gone", sk=1)}})
    assert await tables("BatchWriteItem", RequestItems={"items": requests}) == {"UnprocessedItems": {}}
    assert len(await tables.all()) == 24


async def test_a_batch_with_one_bad_item_writes_nothing(tables: Tables) -> None:
    await tables.create()
    requests = [{"PutRequest": {"Item": item(pk="a", sk=1)}}, {"PutRequest": {"Item": item(pk="a")}}]
    with pytest.raises(ValidationException):
        await tables("BatchWriteItem", RequestItems={"items": requests})
    with pytest.raises(ResourceNotFoundException):
        await tables("BatchWriteItem", RequestItems={"items": requests[:1], "nowhere": requests[:1]})
    with pytest.raises(ValidationException, match="duplicates"):
        await tables("BatchWriteItem", RequestItems={"items": [requests[0], requests[0]]})
    assert await tables.all() == []


async def test_a_batch_over_several_tables_replaces_and_deletes_what_is_there(tables: Tables) -> None:
    await tables.create()
    await tables.create_plain()
    await tables.put(pk="a", sk=1, x="old", g="g1")
    await tables.put("plain", pk="a", x="old")
    await tables(
        "BatchWriteItem",
        RequestItems={
            "items": [{"PutRequest": {"Item": item(pk="a", sk=1, x="new", g="g2")}}],
            "plain": [{"DeleteRequest": {"Key": item(pk="a")}}, {"PutRequest": {"Item": item(pk="b")}}],
        },
    )
    assert await tables.all("items", index="by_g") == [item(pk="a", sk=1, x="new", g="g2")]
    assert await tables.all("plain") == [item(pk="b")]


def test_batch_write_limits() -> None:
    puts = [{"PutRequest": {"Item": key}} for key in keys(26)]
    text = refusal("BatchWriteItem", {"RequestItems": {"abc": puts}})
    assert re.fullmatch(
        r"1 validation error detected: Value '\{abc=\[.+\]\}' at 'requestItems' failed to satisfy constraint: "
        r"Map value must satisfy constraint: \[Member must have length less than or equal to 25, "
        r"Member must have length greater than or equal to 1\]",
        text,
    )
    two = {"abc": puts[:13], "abd": puts[:13]}
    assert refusal("BatchWriteItem", {"RequestItems": two}) == "Too many items requested for the BatchWriteItem call"


@pytest.mark.parametrize("write", [{}, {"PutRequest": {"Item": {}}, "DeleteRequest": {"Key": {}}}])
def test_batch_write_of_none_or_both(write: dict[str, Any]) -> None:
    assert refusal("BatchWriteItem", {"RequestItems": {"abc": [write]}}) == (
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )


def test_batch_write_parts() -> None:
    writes = [{"PutRequest": {"Item": {"a": {"N": "1.0"}}}}, {"DeleteRequest": {"Key": {"a": {"N": "2.0"}}}}]
    put, delete = operations.check("BatchWriteItem", {"RequestItems": {"abc": writes}}).parts
    assert (put.action, put.table, put.item) == ("Put", "abc", {"a": {"N": "1"}})
    assert (delete.action, delete.table, delete.key) == ("Delete", "abc", {"a": {"N": "2"}})


def test_a_refused_request_is_repeated_with_its_puts_first() -> None:
    writes = [{"PutRequest": {"Item": item(pk="x")}}, {"DeleteRequest": {"Key": item(pk="y")}}]
    text = refusal("BatchWriteItem", {"RequestItems": {"bad!name": writes}})
    assert "{bad!name=[WriteRequest(putRequest=PutRequest(item={pk=" in text
    assert "WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={pk=" in text
