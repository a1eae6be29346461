"""Clients that are not ours, against the wire in front of the real engine, signatures verified: each goes through
create, put, get, update, query, scan, batch, transaction, a failed condition, delete."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import aiobotocore.session
import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import DoesNotExist, PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from sekkei.engine import Engine
from sekkei.wire.server import Server
from sekkei.wire.sigv4 import Key

ACCESS, SECRET, REGION = "AKIDCLIENTS", "a/secret+with=signs", "eu-central-1"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The wire on a thread of its own, since most of these clients block."""
    with Engine(tmp_path_factory.mktemp("clients") / "sekkei.db", region=REGION) as engine:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()

        def on_loop(work: Coroutine[Any, Any, None]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result(20)

        server = Server(engine, {ACCESS: Key(SECRET)}, region=REGION)
        on_loop(server.start())
        yield f"http://127.0.0.1:{server.port}"
        on_loop(server.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


def table(name: str) -> dict[str, Any]:
    return {
        "TableName": name,
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
            {"AttributeName": "colour", "AttributeType": "S"},
        ],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_colour",
                "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": "鍵"}, "sk": {"N": str(number)}}


def item(number: int, colour: str) -> dict[str, Any]:
    return {**key(number), "colour": {"S": colour}}


def options(url: str) -> dict[str, Any]:
    return {
        "endpoint_url": url,
        "region_name": REGION,
        "aws_access_key_id": ACCESS,
        "aws_secret_access_key": SECRET,
    }


# --- boto3 ------------------------------------------------------------------------------------------------------------


def test_boto3_client(url: str) -> None:
    client = boto3.client("dynamodb", **options(url), config=Config(retries={"total_max_attempts": 1}))
    name = "boto3"
    created = client.create_table(**table(name))["TableDescription"]
    assert created["TableArn"].startswith(f"arn:aws:dynamodb:{REGION}:")
    client.get_waiter("table_exists").wait(TableName=name)
    client.put_item(TableName=name, Item=item(1, "red"))
    assert client.get_item(TableName=name, Key=key(1), ConsistentRead=True)["Item"] == item(1, "red")
    updated = client.update_item(
        TableName=name,
        Key=key(1),
        UpdateExpression="SET colour = :c ADD visits :one",
        ExpressionAttributeValues={":c": {"S": "blue"}, ":one": {"N": "1"}},
        ReturnValues="ALL_NEW",
    )
    assert updated["Attributes"] == {**item(1, "blue"), "visits": {"N": "1"}}
    batch = [{"PutRequest": {"Item": item(number, "green")}} for number in range(2, 12)]
    assert client.batch_write_item(RequestItems={name: batch})["UnprocessedItems"] == {}
    got = client.batch_get_item(RequestItems={name: {"Keys": [key(2), key(3)]}})["Responses"][name]
    assert sorted(got, key=str) == [item(2, "green"), item(3, "green")]
    assert_queries(client, name)
    assert_transactions(client, name)
    client.delete_item(TableName=name, Key=key(1))
    assert "Item" not in client.get_item(TableName=name, Key=key(1))
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name)


def assert_queries(client: Any, name: str) -> None:
    pages = list(
        client.get_paginator("query").paginate(
            TableName=name,
            KeyConditionExpression="pk = :p AND sk BETWEEN :a AND :b",
            ExpressionAttributeValues={":p": {"S": "鍵"}, ":a": {"N": "2"}, ":b": {"N": "9"}},
            ScanIndexForward=False,
            PaginationConfig={"PageSize": 3},
        )
    )
    assert [each["sk"]["N"] for page in pages for each in page["Items"]] == list("98765432")
    assert len(pages) == 3
    green = client.query(
        TableName=name,
        IndexName="by_colour",
        KeyConditionExpression="colour = :c",
        ExpressionAttributeValues={":c": {"S": "green"}},
    )
    assert green["Count"] == 10
    scanned = client.scan(
        TableName=name,
        FilterExpression="attribute_exists(visits)",
        ProjectionExpression="#c",
        ExpressionAttributeNames={"#c": "colour"},
    )
    assert (scanned["Items"], scanned["ScannedCount"]) == ([{"colour": {"S": "blue"}}], 11)


def assert_transactions(client: Any, name: str) -> None:
    must_be_new = {"ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.put_item(TableName=name, Item=item(2, "x"), **must_be_new)
    assert failed.value.response["Item"] == item(2, "green")
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": name, "Item": item(50, "x")}},
                {"Put": {"TableName": name, "Item": item(2, "x"), **must_be_new}},
            ]
        )
    first, second = cancelled.value.response["CancellationReasons"]
    assert (first["Code"], second["Code"], second["Item"]) == ("None", "ConditionalCheckFailed", item(2, "green"))
    client.transact_write_items(TransactItems=[{"Put": {"TableName": name, "Item": item(51, "x")}}])
    both = client.transact_get_items(
        TransactItems=[{"Get": {"TableName": name, "Key": key(number)}} for number in (50, 51)]
    )
    assert [each.get("Item") for each in both["Responses"]] == [None, item(51, "x")]


def test_boto3_resource_and_errors(url: str) -> None:
    database = boto3.resource("dynamodb", **options(url))
    made = database.create_table(**table("boto3-resource"))
    made.wait_until_exists()
    with made.batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "a", "sk": number, "data": b"\x00\xff", "tags": {"x", "y"}})
    got = made.get_item(Key={"pk": "a", "sk": 7})["Item"]
    assert (got["data"].value, got["tags"], got["sk"]) == (b"\x00\xff", {"x", "y"}, 7)
    with pytest.raises(ClientError) as missing:
        database.Table("no-such-table").get_item(Key={"pk": "a", "sk": 1})
    error = missing.value.response
    assert (error["Error"]["Code"], error["ResponseMetadata"]["HTTPStatusCode"]) == ("ResourceNotFoundException", 400)
    assert len(error["ResponseMetadata"]["RequestId"]) == 52
    with pytest.raises(ClientError, match="ValidationException"):
        made.put_item(Item={"pk": "a"})
    made.delete()


# --- aiobotocore ------------------------------------------------------------------------------------------------------


async def test_aiobotocore(url: str) -> None:
    name = "aiobotocore"
    async with aiobotocore.session.get_session().create_client("dynamodb", **options(url)) as client:
        await client.create_table(**table(name))
        await client.get_waiter("table_exists").wait(TableName=name)
        await asyncio.gather(*(client.put_item(TableName=name, Item=item(n, "red")) for n in range(40)))
        found = await asyncio.gather(*(client.get_item(TableName=name, Key=key(n)) for n in range(40)))
        assert [each["Item"] for each in found] == [item(n, "red") for n in range(40)]
        await client.update_item(
            TableName=name,
            Key=key(1),
            UpdateExpression="SET colour = :c",
            ExpressionAttributeValues={":c": {"S": "blue"}},
        )
        pages = client.get_paginator("query").paginate(
            TableName=name,
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "鍵"}},
            PaginationConfig={"PageSize": 7},
        )
        assert [int(each["sk"]["N"]) async for page in pages for each in page["Items"]] == list(range(40))
        assert (await client.scan(TableName=name, Select="COUNT"))["Count"] == 40
        await client.batch_write_item(RequestItems={name: [{"DeleteRequest": {"Key": key(0)}}]})
        with pytest.raises(client.exceptions.TransactionCanceledException):
            await client.transact_write_items(
                TransactItems=[
                    {
                        "ConditionCheck": {
                            "TableName": name,
                            "Key": key(0),
                            "ConditionExpression": "attribute_exists(pk)",
                        }
                    }
                ]
            )
        await client.delete_item(TableName=name, Key=key(1))
        await client.delete_table(TableName=name)


# --- the AWS CLI ------------------------------------------------------------------------------------------------------


class Cli:
    def __init__(self, url: str, home: Path) -> None:
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "AWS_ACCESS_KEY_ID": ACCESS,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL_DYNAMODB": url,
            "PYTHONIOENCODING": "utf-8",
        }

    def run(self, operation: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "awscli", "dynamodb", operation, "--output", "json", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            env=self.variables,
        )

    def __call__(self, operation: str, **parameters: Any) -> Any:
        done = self.run(operation, "--cli-input-json", json.dumps(parameters))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else {}


def test_aws_cli(url: str, tmp_path: Path) -> None:
    aws, name = Cli(url, tmp_path), "aws-cli"
    aws("create-table", **table(name))
    aws("put-item", TableName=name, Item=item(1, "red"))
    assert aws("get-item", TableName=name, Key=key(1)) == {"Item": item(1, "red")}
    updated = aws(
        "update-item",
        TableName=name,
        Key=key(1),
        UpdateExpression="SET colour = :c",
        ExpressionAttributeValues={":c": {"S": "青"}},
        ReturnValues="UPDATED_NEW",
    )
    assert updated == {"Attributes": {"colour": {"S": "青"}}}
    aws("batch-write-item", RequestItems={name: [{"PutRequest": {"Item": item(2, "green")}}]})
    aws("transact-write-items", TransactItems=[{"Put": {"TableName": name, "Item": item(3, "green")}}])
    queried = aws(
        "query",
        TableName=name,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": "鍵"}},
    )
    assert [each["sk"]["N"] for each in queried["Items"]] == ["1", "2", "3"]
    assert aws("scan", TableName=name)["Count"] == 3
    aws("delete-item", TableName=name, Key=key(1))
    missing = aws.run("describe-table", "--table-name", "no-such-table")
    assert missing.returncode == 254 or missing.returncode == 255
    assert "ResourceNotFoundException" in missing.stderr
    aws("delete-table", TableName=name)


# --- PynamoDB ---------------------------------------------------------------------------------------------------------


class ByColour(GlobalSecondaryIndex[Any]):
    class Meta:
        index_name = "by_colour"
        projection = AllProjection()

    colour = UnicodeAttribute(hash_key=True)


class Thing(Model):
    class Meta:
        table_name = "pynamodb"
        region = REGION
        aws_access_key_id = ACCESS
        aws_secret_access_key = SECRET
        billing_mode = "PAY_PER_REQUEST"
        host = ""

    pk = UnicodeAttribute(hash_key=True)
    sk = NumberAttribute(range_key=True)
    colour = UnicodeAttribute(default="red")
    tags = UnicodeSetAttribute(null=True)
    by_colour = ByColour()


def test_pynamodb(url: str) -> None:
    Thing.Meta.host = url
    Thing.create_table(wait=True)
    Thing("鍵", 1, tags={"a", "b"}).save()
    assert Thing.get("鍵", 1).tags == {"a", "b"}
    Thing.get("鍵", 1).update(actions=[Thing.colour.set("blue"), Thing.tags.add({"c"})])
    assert Thing.get("鍵", 1).tags == {"a", "b", "c"}
    with Thing.batch_write() as batch:
        for number in range(2, 40):
            batch.save(Thing("鍵", number, colour="green"))
    assert [thing.sk for thing in Thing.query("鍵", Thing.sk > 35, page_size=2)] == [36, 37, 38, 39]
    assert Thing.by_colour.count("green") == 38
    assert len(list(Thing.scan(Thing.tags.exists()))) == 1
    assert len(list(Thing.batch_get([("鍵", 1), ("鍵", 2), ("鍵", 99)]))) == 2
    with pytest.raises(PutError, match="conditional request failed"):
        Thing("鍵", 1).save(condition=Thing.pk.does_not_exist())
    assert_pynamodb_transactions(url)
    Thing.get("鍵", 1).delete()
    with pytest.raises(DoesNotExist):
        Thing.get("鍵", 1)
    Thing.delete_table()


def assert_pynamodb_transactions(url: str) -> None:
    connection = Connection(region=REGION, host=url)
    connection.session.set_credentials(ACCESS, SECRET)
    with TransactWrite(connection=connection) as transaction:
        transaction.save(Thing("transaction", 1))
        transaction.update(Thing("鍵", 2), actions=[Thing.colour.set("black")])
    with TransactGet(connection=connection) as transaction:
        made, changed = transaction.get(Thing, "transaction", 1), transaction.get(Thing, "鍵", 2)
    assert (made.get().sk, changed.get().colour) == (1, "black")
    with pytest.raises(TransactWriteError) as failed:
        write_on_condition(connection)
    assert [reason and reason.code for reason in failed.value.cancellation_reasons] == ["ConditionalCheckFailed", None]


def write_on_condition(connection: Connection) -> None:
    with TransactWrite(connection=connection) as transaction:
        transaction.save(Thing("transaction", 2))
        transaction.condition_check(Thing, "鍵", 2, condition=Thing.colour == "white")


def test_a_client_that_asks_for_endpoints_is_sent_to_this_server(url: str) -> None:
    client = boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=ACCESS,
        aws_secret_access_key=SECRET,
    )
    assert [one["Address"] for one in client.describe_endpoints()["Endpoints"]] == [url.removeprefix("http://")]
