"""TransactGetItems."""

from __future__ import annotations

from tests.engine.conftest import Tables, item


async def test_transact_get(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="y", z="more")
    gets = [
        {"Get": {"TableName": "items", "Key": item(pk="a", sk=1), "ProjectionExpression": "x"}},
        {"Get": {"TableName": "items", "Key": item(pk="a", sk=2)}},
    ]
    response = await tables("TransactGetItems", TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert response["Responses"] == [{"Item": item(x="y")}, {}]
    assert response["ConsumedCapacity"] == [{"TableName": "items", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]
