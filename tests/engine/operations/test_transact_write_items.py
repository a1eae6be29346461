"""TransactWriteItems."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.operations import transact_write_items
from sekkei.errors import (
    IdempotentParameterMismatchException,
    TransactionCanceledException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import AT_LEAST_ONE, NOT_NULL, faults, refusal


def put(pk: str, sk: int, condition: str | None = None, **more: Any) -> dict[str, Any]:
    action: dict[str, Any] = {"TableName": "items", "Item": item(pk=pk, sk=sk, **more)}
    return {"Put": {**action, **({"ConditionExpression": condition} if condition else {})}}


def add(pk: str, sk: int, amount: int) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "items",
            "Key": item(pk=pk, sk=sk),
            "UpdateExpression": "ADD n :n",
            "ExpressionAttributeValues": {":n": {"N": str(amount)}},
        }
    }


async def test_a_transaction_happens_whole(tables: Tables) -> None:
    await tables.create()
    await tables("TransactWriteItems", TransactItems=[put("a", 1), add("a", 2, 5)])
    assert await tables.all() == [item(pk="a", sk=1), item(pk="a", sk=2, n=5)]


async def test_a_transaction_fails_whole_and_says_why(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="there")
    check = put("a", 1, "attribute_not_exists(pk)")
    check["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    wrong = add("a", 1, 1)
    wrong["Update"]["UpdateExpression"] = "ADD x :n"
    wrong["Update"]["Key"] = item(pk="a", sk=9)
    await tables.put(pk="a", sk=9, x="text")
    with pytest.raises(TransactionCanceledException) as cancelled:
        await tables("TransactWriteItems", TransactItems=[put("b", 1), check, wrong])
    assert [reason["Code"] for reason in cancelled.value.reasons] == [
        "None",
        "ConditionalCheckFailed",
        "ValidationError",
    ]
    assert cancelled.value.reasons[1]["Item"] == item(pk="a", sk=1, x="there")
    assert "[None, ConditionalCheckFailed, ValidationError]" in cancelled.value.message
    assert await tables.get(pk="b", sk=1) is None


async def test_two_actions_on_one_item_are_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="cannot include multiple operations on one item"):
        await tables("TransactWriteItems", TransactItems=[put("a", 1), add("a", 1, 1)])


async def test_a_token_makes_a_repetition_harmless(tables: Tables) -> None:
    await tables.create()
    for _ in range(3):
        await tables("TransactWriteItems", TransactItems=[add("a", 1, 1)], ClientRequestToken="once")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, n=1)
    with pytest.raises(IdempotentParameterMismatchException):
        await tables("TransactWriteItems", TransactItems=[add("a", 1, 2)], ClientRequestToken="once")
    tables.clock.advance(601)
    await tables("TransactWriteItems", TransactItems=[add("a", 1, 1)], ClientRequestToken="once")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, n=2)


async def test_a_failed_transaction_does_not_use_up_its_token(tables: Tables) -> None:
    await tables.create()
    request = {"TransactItems": [put("a", 1, "attribute_not_exists(pk)")], "ClientRequestToken": "t"}
    await tables.put(pk="a", sk=1)
    with pytest.raises(TransactionCanceledException):
        await tables("TransactWriteItems", **request)
    await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1))
    await tables("TransactWriteItems", **request)
    assert await tables.get(pk="a", sk=1) is not None


async def test_concurrent_transactions_lose_nothing(tables: Tables) -> None:
    await tables.create()
    actions = [add("a", 1, 1), add("a", 2, -1)]
    await asyncio.gather(*(tables("TransactWriteItems", TransactItems=actions) for _ in range(200)))
    assert await tables.all() == [item(pk="a", sk=1, n=200), item(pk="a", sk=2, n=-200)]


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


def test_a_transaction_writes_up_to_4_mb() -> None:
    def puts(count: int) -> dict[str, Any]:
        item = {"a": {"S": "x" * 350_000}}
        return {"TransactItems": [{"Put": {"TableName": "abc", "Item": item}} for _ in range(count)]}

    assert operations.check("TransactWriteItems", puts(11))
    assert "4 MB" in refusal("TransactWriteItems", puts(12))


def test_a_transaction_has_one_action_each() -> None:
    both = {"Put": {"TableName": "abc", "Item": {}}, "Delete": {"TableName": "abc", "Key": {}}}
    text = refusal("TransactWriteItems", {"TransactItems": [both]})
    assert text == "TransactItems can only contain one of Check, Put, Update or Delete"
    text = refusal("TransactWriteItems", {"TransactItems": [{}]})
    assert text == "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"


def test_faults_inside_a_transaction() -> None:
    request = {"TransactItems": [{"ConditionCheck": {"Key": {}}}], "ClientRequestToken": ""}
    at = "transactItems.1.member.conditionCheck."
    assert refusal("TransactWriteItems", request) == faults(
        ("", "clientRequestToken", AT_LEAST_ONE),
        (None, at + "tableName", NOT_NULL),
        (None, at + "conditionExpression", NOT_NULL),
    )


def test_transaction_parts() -> None:
    key, condition = {"a": {"N": "1.0"}}, {"ConditionExpression": "attribute_exists(b)"}
    request = {
        "TransactItems": [
            {"ConditionCheck": {"TableName": "abc", "Key": key, **condition}},
            {"Put": {"TableName": "abc", "Item": key, **condition}},
            {"Delete": {"TableName": "abc", "Key": key}},
            {"Update": {"TableName": "abc", "Key": key, "UpdateExpression": "REMOVE b"}},
        ]
    }
    check, put, delete, update = operations.check("TransactWriteItems", request).parts
    assert [part.action for part in (check, put, delete, update)] == ["ConditionCheck", "Put", "Delete", "Update"]
    assert check.key == put.item == delete.key == update.key == {"a": {"N": "1"}}
    assert check.condition is not None
    assert put.condition is not None
    assert put.condition.matches({"b": {"S": ""}})
    assert delete.condition is None
    assert update.update is not None


async def test_a_transaction_doubles_the_item_and_not_its_index_entries(tables: Tables) -> None:
    """developerguide/transaction-apis.html: each item is written twice; indexes hear of it when all is done."""
    await tables.create()
    for g, index_units in (("one", 1.0), ("two", 2.0)):  # an entry that is put, one that moves
        action = put("a", 1, g=g)
        answer = await tables("TransactWriteItems", TransactItems=[action], ReturnConsumedCapacity="INDEXES")
        (consumed,) = answer["ConsumedCapacity"]
        assert consumed["Table"]["CapacityUnits"] == 2.0
        assert consumed["GlobalSecondaryIndexes"]["by_g"]["CapacityUnits"] == index_units
        assert consumed["CapacityUnits"] == 2.0 + index_units


async def test_a_repetition_is_charged_as_a_read_of_what_the_first_call_wrote(tables: Tables) -> None:
    """By 4 KB and twice, in the manner the repetition asks for: also for items that are gone by then."""
    await tables.create_plain()
    await tables.put("plain", pk="gone", x="x" * 9000)
    await tables.put("plain", pk="checked", x="x" * 5000)
    request: dict[str, Any] = {
        "TransactItems": [
            {"Put": {"TableName": "plain", "Item": item(pk="new", x="x" * 1500)}},
            {"Delete": {"TableName": "plain", "Key": item(pk="gone")}},
            {
                "ConditionCheck": {
                    "TableName": "plain",
                    "Key": item(pk="checked"),
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
        ],
        "ClientRequestToken": "t",
    }
    first = await tables("TransactWriteItems", **request, ReturnConsumedCapacity="TOTAL")
    written = 2.0 * (2 + 9 + 5)
    assert first["ConsumedCapacity"] == [
        {"TableName": "plain", "CapacityUnits": written, "WriteCapacityUnits": written}
    ]
    read = {"CapacityUnits": 2.0 * (1 + 3 + 2), "ReadCapacityUnits": 2.0 * (1 + 3 + 2)}
    for how, expected in (("TOTAL", read), ("INDEXES", {**read, "Table": read})):
        again = await tables("TransactWriteItems", **request, ReturnConsumedCapacity=how)
        assert again == {"ConsumedCapacity": [{"TableName": "plain", **expected}]}
    assert await tables("TransactWriteItems", **request) == {}


async def test_the_answer_to_a_repetition_kept_by_an_earlier_version_is_given_as_it_is(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tables.create()
    kept = {"ConsumedCapacity": [{"TableName": "items", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]}
    monkeypatch.setattr(transact_write_items, "_kept", lambda response, actions: kept)
    request: dict[str, Any] = {"TransactItems": [put("a", 1)], "ClientRequestToken": "t"}
    await tables("TransactWriteItems", **request)
    assert await tables("TransactWriteItems", **request, ReturnConsumedCapacity="TOTAL") == kept


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


NESTED = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'


@pytest.mark.parametrize("attributes", [{"": {"S": "x"}, "d": deep(100)}, {"d": deep(100), "": {"S": "x"}}])
def test_an_attribute_without_a_name_is_refused_before_one_that_is_too_deep(attributes: dict[str, Any]) -> None:
    action = {"Put": {"TableName": "absent", "Item": {**item(pk="a"), **attributes}}}
    assert refusal("TransactWriteItems", {"TransactItems": [action]}) == "Empty attribute name"


@pytest.mark.parametrize("name", ["Delete", "ConditionCheck", "Update"])
def test_the_expressions_of_an_action_are_looked_at_before_its_key(name: str) -> None:
    action: dict[str, Any] = {"TableName": "absent", "Key": {"pk": deep(40)}}
    condition = {**action, "ConditionExpression": "a = = b"}
    update = {"UpdateExpression": "REMOVE a"} if name == "Update" else {}
    assert refusal("TransactWriteItems", {"TransactItems": [{name: {**condition, **update}}]}) == SYNTAX
    first = {"Delete": action}
    assert refusal("TransactWriteItems", {"TransactItems": [first, {name: {**condition, **update}}]}) == NESTED
