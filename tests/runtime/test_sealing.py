"""No body of a message stands in the tables in clear; only the program that has the secret opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sekkei.clock import SYSTEM
from sekkei.design import Database, tables
from sekkei.errors import TransactionCanceledException
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.deployment import SEALED, assemble
from sekkei.runtime.design import Message, State, design, messages, newest_messages
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.sealing import MARK, Sealed
from sekkei.store import Embedded
from sekkei.web.testing import opened, test_settings
from tests.web.example import SYSTEM as EXAMPLE

TABLE, KEY = "sekkei-runtime", b"k" * 32
SECRET = {"subject": "コード 482913", "text": "https://example.com/invitations/very-secret"}


@pytest.fixture
async def store() -> AsyncIterator[Embedded]:
    made = Embedded()
    await tables.create(made, design, "test", SYSTEM)
    yield made
    await made.close()


def runtime_on(store: Any, key: bytes = KEY) -> Database:
    return design.open(Sealed(store, TABLE, SEALED, key), env="test", clock=SYSTEM)


async def stored(store: Embedded) -> str:
    return str((await store.call("Scan", {"TableName": TABLE}))["Items"])


async def test_a_body_is_sealed_in_the_table_and_open_to_the_program(store: Embedded) -> None:
    runtime = runtime_on(store)
    outbox = Outbox(runtime, SYSTEM, "tasks")
    await outbox.put("mail", "a@example.com", SECRET, id="1")
    await runtime.transact(outbox.message("mail", "b@example.com", SECRET, id="2"))
    found = await stored(store)
    assert found.count(MARK) == 2
    assert "482913" not in found
    assert "very-secret" not in found
    kept = await outbox.get("1")
    assert kept is not None
    assert kept.body == SECRET
    assert [one.body for one in await runtime.all(newest_messages())] == [SECRET, SECRET]
    changed = await runtime.write(messages.update("tasks/1").set(Message.receipt, "r"))
    assert changed is not None
    assert changed.body == SECRET
    assert not await outbox.put("mail", "a@example.com", {"other": "text"}, id="1"), "known all the same"


async def test_neither_another_key_nor_another_row_opens_it(store: Embedded) -> None:
    await Outbox(runtime_on(store), SYSTEM, "tasks").put("mail", "a", SECRET, id="1")
    (row,) = (await store.call("Scan", {"TableName": TABLE}))["Items"]
    await store.call("PutItem", {"TableName": TABLE, "Item": {**row, "PK": {"S": "OUTBOX#tasks%2F2"}}})
    for key, id in ((b"x" * 32, "1"), (KEY, "2")):
        found = [one for one in await runtime_on(store, key).all(newest_messages()) if one.id == f"tasks/{id}"]
        assert all("cannot be opened" in one.body["sealed"] for one in found)
        assert found or key == KEY


async def test_what_does_not_open_is_not_sent_empty(store: Embedded) -> None:
    """The secret was changed, or another deployment's table was taken for ours."""
    await Outbox(runtime_on(store), SYSTEM, "tasks").put("mail", "a@example.com", SECRET, id="1")
    other = runtime_on(store, b"x" * 32)
    mail = Kept()
    await Delivery(other, SYSTEM, {"mail": mail}).run_once()
    assert mail.sent == []
    message = await Outbox(other, SYSTEM, "tasks").get("1")
    assert message is not None
    assert message.state is State.FAILED
    assert "SEKKEI_SECRET" in str(message.last_error)


class Kept:
    def __init__(self) -> None:
        self.sent: list[Message] = []

    async def send(self, message: Message) -> str:
        self.sent.append(message)
        return "sent"


async def test_no_code_stands_in_any_table_after_a_sign_in(store: Embedded) -> None:
    async with opened(EXAMPLE, store=store, settings=test_settings(env="test")) as client:
        await client.post("/sign-in/mail", {"email": "a@example.com"})
        (mail,) = await client.shell.deployment.runtime.all(newest_messages())
        code = next(word for word in mail.body["text"].split() if word.isdigit())
        names = (await store.call("ListTables", {}))["TableNames"]
        for name in names:
            assert code not in str((await store.call("Scan", {"TableName": name}))["Items"]), name


def test_a_deployment_seals() -> None:
    deployment = assemble([EXAMPLE], Embedded(), test_settings(), SYSTEM)
    assert isinstance(deployment.store.store, Sealed)


async def test_what_only_looks_sealed_in_another_table_is_left_alone(store: Embedded) -> None:
    """Somebody may write a text that begins like a sealed one; it is theirs."""
    key = {"AttributeName": "PK", "KeyType": "HASH"}
    await store.call(
        "CreateTable",
        {
            "TableName": "notices",
            "KeySchema": [key],
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    sealed = Sealed(store, TABLE, SEALED, KEY)
    row = {"PK": {"S": "1"}, "body": {"S": f"{MARK}A"}}
    await sealed.call("PutItem", {"TableName": "notices", "Item": row})
    get = {"TableName": "notices", "Key": {"PK": {"S": "1"}}}
    answer = await sealed.call("TransactGetItems", {"TransactItems": [{"Get": get}]})
    assert answer["Responses"] == [{"Item": row}]
    put = {"TableName": "notices", "Item": row, "ConditionExpression": "attribute_not_exists(PK)"}
    put["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    with pytest.raises(TransactionCanceledException) as cancelled:
        await sealed.call("TransactWriteItems", {"TransactItems": [{"Put": put}]})
    assert cancelled.value.reasons[0]["Item"] == row


def test_nothing_is_not_sealed(store: Embedded) -> None:
    sealed, attribute = Sealed(store, TABLE, SEALED, KEY), SEALED[0]
    row = {"PK": {"S": "ONCE#1"}, "SK": {"S": "ONCE"}, attribute: {"M": {}}}
    assert sealed._seal(row) == row


async def test_a_transaction_that_is_sent_again_is_the_same_to_the_byte(store: Embedded) -> None:
    """Under one token other parameters are refused, so a body may not be sealed anew each time."""
    sealed, attribute = Sealed(store, TABLE, SEALED, KEY), SEALED[0]
    row = {"PK": {"S": "MESSAGE#1"}, "SK": {"S": "MESSAGE"}, attribute: {"M": {"subject": {"S": "コード 482913"}}}}
    request = {"TransactItems": [{"Put": {"TableName": TABLE, "Item": row}}], "ClientRequestToken": "once"}
    for _ in range(2):
        await sealed.call("TransactWriteItems", request)
    other = {**row, "PK": {"S": "MESSAGE#2"}}
    boxes = [sealed._seal(one)[attribute]["S"] for one in (row, row, other)]
    assert boxes[0] == boxes[1] != boxes[2]
