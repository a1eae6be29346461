"""A store that is open for reading only."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine.operations import OPERATIONS
from sekkei.errors import AccessDeniedException
from sekkei.store import Embedded
from sekkei.store.read_only import READS, ReadOnly

TABLE: dict[str, Any] = {
    "TableName": "t1t",
    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


async def test_reads_pass_and_everything_else_is_refused_before_the_store_hears_of_it() -> None:
    store = Embedded()
    only = ReadOnly(store)
    try:
        await store.call("CreateTable", TABLE)
        await store.call("PutItem", {"TableName": "t1t", "Item": {"a": {"S": "1"}}})
        assert (await only.call("Scan", {"TableName": "t1t"}))["Count"] == 1
        assert (await only.call("ExecuteStatement", {"Statement": ' select * from "t1t"'}))["Items"]
        for operation in set(OPERATIONS) - READS - {"ExecuteStatement"}:
            with pytest.raises(AccessDeniedException, match="reading only"):
                await only.call(operation, TABLE)
        for statement in ("DELETE FROM t1t WHERE a='1'", "INSERT INTO t1t VALUE {'a':'2'}", "", "EXISTS(SELECT 1)"):
            with pytest.raises(AccessDeniedException):
                await only.call("ExecuteStatement", {"Statement": statement})
        assert (await store.call("Scan", {"TableName": "t1t"}))["Items"] == [{"a": {"S": "1"}}]
    finally:
        await store.close()
