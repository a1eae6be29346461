"""A transaction keeps every item under its own key, and says whose fault a bad key is."""

from __future__ import annotations

import pytest

from sekkei.errors import TransactionCanceledException, ValidationException
from tests.engine.conftest import Tables, item


async def test_an_update_in_a_transaction_cannot_move_an_item(tables: Tables) -> None:
    await tables.create()
    update = {
        "TableName": "items",
        "Key": item(pk="a", sk=1),
        "UpdateExpression": "SET pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "b"}},
    }
    with pytest.raises(TransactionCanceledException) as cancelled:
        await tables("TransactWriteItems", TransactItems=[{"Update": update}])
    assert cancelled.value.reasons == [
        {
            "Code": "ValidationError",
            "Message": "One or more parameter values were invalid: Cannot update attribute pk. "
            "This attribute is part of the key",
        }
    ]
    assert (await tables("Scan", TableName="items"))["Count"] == 0


async def test_an_empty_key_is_refused_for_the_whole_request(tables: Tables) -> None:
    await tables.create()
    for action in (
        {"Put": {"TableName": "items", "Item": item(pk="", sk=1)}},
        {"Delete": {"TableName": "items", "Key": item(pk="", sk=1)}},
    ):
        with pytest.raises(ValidationException, match="cannot contain an empty string value") as error:
            await tables("TransactWriteItems", TransactItems=[action])
        assert error.value.code == "ValidationException"
    with pytest.raises(TransactionCanceledException):
        await tables("TransactWriteItems", TransactItems=[{"Put": {"TableName": "items", "Item": item(pk=1, sk=1)}}])
