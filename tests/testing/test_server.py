"""boto3 and aiobotocore find a DynamoDB of the test's own, empty, quickly, and can go back to named moments."""

from __future__ import annotations

import os
import time
import unittest
from typing import Any

import aiobotocore.session
import boto3
import pytest

from sekkei.testing import LocalServer, mock_dynamodb
from tests.design.example import Team, design, teams

TABLE: dict[str, Any] = {
    "TableName": "things",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def filled(client: Any, count: int = 3) -> None:
    client.create_table(**TABLE)
    for number in range(count):
        client.put_item(TableName="things", Item={"id": {"S": str(number)}})


def count(client: Any) -> int:
    return int(client.scan(TableName="things")["Count"])


@mock_dynamodb
def test_a_decorated_function_has_one_of_its_own() -> None:
    client = boto3.client("dynamodb", region_name="eu-west-1")
    assert client.list_tables()["TableNames"] == []
    filled(client)
    assert count(client) == 3
    assert boto3.resource("dynamodb").Table("things").item_count is not None
    streams = boto3.client("dynamodbstreams")
    assert streams.list_streams()["Streams"] == []


@mock_dynamodb
async def test_a_decorated_coroutine_and_aiobotocore() -> None:
    async with aiobotocore.session.get_session().create_client("dynamodb") as client:
        await client.create_table(**TABLE)
        assert (await client.list_tables())["TableNames"] == ["things"]


def test_the_environment_is_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.delenv("AWS_ENDPOINT_URL_DYNAMODB", raising=False)
    with mock_dynamodb() as server:
        assert os.environ["AWS_ENDPOINT_URL_DYNAMODB"] == server.url
        assert os.environ["AWS_ACCESS_KEY_ID"] != "mine"
        filled(boto3.client("dynamodb"))
        with mock_dynamodb():
            assert boto3.client("dynamodb").list_tables()["TableNames"] == []
        assert count(boto3.client("dynamodb")) == 3
    assert os.environ["AWS_ACCESS_KEY_ID"] == "mine"
    assert "AWS_ENDPOINT_URL_DYNAMODB" not in os.environ


def test_a_client_that_is_kept_from_test_to_test_stays_good() -> None:
    with mock_dynamodb():
        kept = boto3.client("dynamodb")
        filled(kept)
    with mock_dynamodb():
        assert kept.list_tables()["TableNames"] == []
        filled(kept)
        assert count(kept) == 3


@mock_dynamodb
class TestClass:
    def test_one(self) -> None:
        filled(boto3.client("dynamodb"))

    def test_another_starts_empty(self) -> None:
        filled(boto3.client("dynamodb"))


@mock_dynamodb
class TestOfUnittest(unittest.TestCase):
    def setUp(self) -> None:
        filled(boto3.client("dynamodb"))

    def test_sees_what_set_up_made(self) -> None:
        self.assertEqual(count(boto3.client("dynamodb")), 3)  # noqa: PT009

    def test_sees_it_afresh(self) -> None:
        boto3.client("dynamodb").delete_item(TableName="things", Key={"id": {"S": "1"}})
        self.assertEqual(count(boto3.client("dynamodb")), 2)  # noqa: PT009


def test_moments_are_taken_and_restored_under_a_client() -> None:
    with LocalServer() as server:
        client = boto3.client("dynamodb", **server.boto3)
        filled(client)
        server.take("three")
        client.delete_item(TableName="things", Key={"id": {"S": "1"}})
        server.take("two")
        assert server.snapshots() == ["three", "two"]
        server.restore("three")
        assert count(client) == 3
        server.restore("two")
        assert count(client) == 2
        client.put_item(TableName="things", Item={"id": {"S": "new"}})
        server.restore("two")
        assert count(client) == 2
        server.reset()
        assert client.list_tables()["TableNames"] == []
        with pytest.raises(LookupError, match="three, two"):
            server.restore("four")
        with pytest.raises(ValueError, match="no name"):
            server.take("../outside")


@pytest.mark.torture
def test_it_is_ready_and_back_in_milliseconds() -> None:
    with LocalServer():  # loads what has to be loaded
        pass
    began = time.perf_counter()
    with LocalServer() as server:
        ready = time.perf_counter() - began
        client = boto3.client("dynamodb", **server.boto3)
        client.create_table(**TABLE)
        for start in range(0, 2000, 25):
            requests = [{"PutRequest": {"Item": {"id": {"S": str(n)}}}} for n in range(start, start + 25)]
            client.batch_write_item(RequestItems={"things": requests})
        began = time.perf_counter()
        server.take("full")
        server.restore("full")
        back = time.perf_counter() - began
        assert count(client) == 2000
    assert ready < 0.5  # a few milliseconds; the machine may be busy
    assert back < 1


def test_a_design_may_use_it_too() -> None:
    with LocalServer() as server, design.open_sync(server.store(), env="test") as db:
        db.create_tables()
        db.write(teams.create(Team(team_id="t", name="x")))
        server.take("one")
        db.write(teams.delete("t"))
        server.restore("one")
        assert db.get(teams("t")) is not None
