"""The list of operations against the service model that the AWS SDKs are made from.

The protocol as DynamoDB speaks it: status, headers, bodies, the order of its checks."""

from __future__ import annotations

import re
import zlib
from typing import Any

import botocore.session
import pytest

from sekkei.wire.service import OPERATIONS
from sekkei.wire.sigv4 import Key
from tests.wire.client import Client, Reply, post, request, signed_post
from tests.wire.conftest import FakeEngine, Serve
from tests.wire.test_model import named


def test_every_operation_of_the_service_model_has_its_target() -> None:
    session = botocore.session.get_session()
    for service in ("dynamodb", "dynamodbstreams"):
        model = session.get_service_model(service)
        prefix = model.metadata["targetPrefix"]
        known = {operation for target, operation in OPERATIONS.items() if target.startswith(f"{prefix}.".encode())}
        assert set(model.operation_names) - known <= named()
        assert known <= set(model.operation_names)


CORAL = "com.amazon.coral.service#"
DYNAMODB = "com.amazonaws.dynamodb.v20120810#"


def assert_dynamodb_headers(reply: Reply) -> None:
    assert re.fullmatch("[0-9A-Z]{52}", reply.headers["x-amzn-requestid"])
    assert reply.headers["x-amz-crc32"] == str(zlib.crc32(reply.body))
    assert reply.headers["content-length"] == str(len(reply.body))
    assert reply.headers["server"] == "Server"
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", reply.headers["date"])


def assert_error(reply: Reply, kind: str, content_type: str = "application/x-amz-json-1.0", **members: Any) -> None:
    assert reply.status == 400
    assert reply.json() == {"__type": kind, **members}
    assert reply.headers["content-type"] == content_type
    assert_dynamodb_headers(reply)


# --- operations -------------------------------------------------------------------------------------------------------


async def test_an_operation(client: Client, engine: FakeEngine) -> None:
    reply = await client.ask(post("GetItem", {"TableName": "t"}))
    assert reply.status == 200
    assert reply.body == b'{"Item":{"pk":{"S":"hello"},"n":{"N":"1"}}}'
    assert reply.headers["content-type"] == "application/x-amz-json-1.0"
    assert reply.headers["connection"] == "keep-alive"
    assert_dynamodb_headers(reply)
    assert engine.calls == [("GetItem", {"TableName": "t"})]


async def test_every_answer_has_its_own_id(client: Client) -> None:
    ids = {(await client.ask(post("GetItem"))).headers["x-amzn-requestid"] for _ in range(20)}
    assert len(ids) == 20


async def test_streams_have_a_prefix_of_their_own(client: Client) -> None:
    reply = await client.ask(post("x", headers={"X-Amz-Target": "DynamoDBStreams_20120810.GetRecords"}))
    assert reply.json() == {"Operation": "GetRecords"}
    assert_error(await client.ask(post("GetRecords")), CORAL + "UnknownOperationException")


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/x-amz-json-1.0; charset=utf-8", "application/x-amz-json-1.0"),
        ("application/json", "application/json"),
        ("  application/json  ;   blah", "application/json"),
    ],
)
async def test_content_types(client: Client, given: str, answered: str) -> None:
    reply = await client.ask(post("GetItem", headers={"Content-Type": given}))
    assert reply.status == 200
    assert reply.headers["content-type"] == answered


# --- errors -----------------------------------------------------------------------------------------------------------


async def test_errors_carry_their_members(client: Client) -> None:
    assert_error(
        await client.ask(post("DeleteItem")),
        DYNAMODB + "ConditionalCheckFailedException",
        message="The conditional request failed",
        Item={"pk": {"S": "old"}},
    )
    assert_error(
        await client.ask(post("TransactWriteItems")),
        DYNAMODB + "TransactionCanceledException",
        Message="Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed]",
        CancellationReasons=[{"Code": "None"}, {"Code": "ConditionalCheckFailed"}],
    )


@pytest.mark.parametrize(
    ("code", "kind", "member"),
    [
        ("ValidationException", "com.amazon.coral.validate#ValidationException", "message"),
        ("ResourceNotFoundException", DYNAMODB + "ResourceNotFoundException", "message"),
        ("SerializationException", CORAL + "SerializationException", "Message"),
        ("AccessDeniedException", CORAL + "AccessDeniedException", "Message"),
        ("IdempotentParameterMismatchException", DYNAMODB + "IdempotentParameterMismatchException", "Message"),
        ("TransactionInProgressException", DYNAMODB + "TransactionInProgressException", "Message"),
    ],
)
async def test_namespaces_and_casing(client: Client, code: str, kind: str, member: str) -> None:
    reply = await client.ask(post("DescribeTable", {"Raise": code, "Text": "Why"}))
    assert_error(reply, kind, **{member: "Why"})


async def test_an_unexpected_error_tells_nothing_and_the_server_goes_on(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    reply = await client.ask(post("UpdateItem", {"TableName": "t"}))
    assert reply.status == 500
    assert reply.json()["__type"] == DYNAMODB + "InternalServerError"
    assert b"secret" not in reply.body
    assert "ZeroDivisionError" in caplog.text
    assert (await client.ask(post("GetItem"))).status == 200


async def test_server_errors_have_their_status(client: Client) -> None:
    reply = await client.ask(post("DescribeTable", {"Raise": "ServiceUnavailable", "Text": "later"}))
    assert reply.status == 503


@pytest.mark.parametrize("body", [b"hi", b"{", b'{"a":1}x', b"\xff\xfe{}", b'{"a":"\xc3\x28"}', b"[" * 5000, b"NaN"])
async def test_malformed_json(client: Client, engine: FakeEngine, body: bytes) -> None:
    assert_error(await client.ask(post("GetItem", body)), CORAL + "SerializationException")
    assert engine.calls == []
    assert (await client.ask(post("GetItem"))).status == 200


async def test_json_that_is_no_object(client: Client, engine: FakeEngine) -> None:
    kind = CORAL + "SerializationException"
    assert_error(await client.ask(post("GetItem", b"")), kind)
    assert_error(await client.ask(post("GetItem", b"null")), kind)
    assert_error(await client.ask(post("GetItem", b"3")), kind, Message="Unexpected value type in payload")
    text = "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.GetItemInput"
    assert_error(await client.ask(post("GetItem", b"[]")), kind, Message=text)
    assert engine.calls == []


@pytest.mark.parametrize("target", [None, "", "whatever", "DynamoDB_20120810.ListTable", "DynamoDB_20111205.GetItem"])
async def test_unknown_operations(client: Client, engine: FakeEngine, target: str | None) -> None:
    headers: Any = {"X-Amz-Target": target}
    assert_error(await client.ask(post("x", headers=headers)), CORAL + "UnknownOperationException")
    assert engine.calls == []


async def test_json_comes_before_target_and_target_before_signature(client: Client) -> None:
    kind = CORAL + "SerializationException"
    assert_error(await client.ask(post("Nope", b"hi", auth=False)), kind)
    assert_error(await client.ask(post("Nope", b"{}", auth=False)), CORAL + "UnknownOperationException")
    text = "Request is missing Authentication Token"
    missing = CORAL + "MissingAuthenticationTokenException"
    assert_error(await client.ask(post("GetItem", b"", auth=False)), missing, message=text)


# --- not an operation -------------------------------------------------------------------------------------------------


def assert_not_found(reply: Reply) -> None:
    assert reply.status == 404
    assert reply.body == b"<UnknownOperationException/>\n"
    assert reply.headers["x-amz-crc32"] == "3552371480"
    assert_dynamodb_headers(reply)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
async def test_other_methods(client: Client, method: str) -> None:
    assert_not_found(await client.ask(request(method, "/")))


@pytest.mark.parametrize("url", ["/other", "/favicon.ico", "//", "/%2e", "http://elsewhere/"])
async def test_other_paths(client: Client, url: str) -> None:
    assert_not_found(await client.ask(request("POST", url)))
    assert_not_found(await client.ask(request("GET", url)))


@pytest.mark.parametrize("content_type", [None, "whatever", "application/jsonasdf", "application/x-amz-json-1.1"])
async def test_a_body_of_another_type(client: Client, content_type: str | None) -> None:
    headers: Any = {"Content-Type": content_type}
    assert_not_found(await client.ask(post("GetItem", b"hi", headers=headers)))


@pytest.mark.parametrize("url", ["/", "/?x=1", "/ping"])
async def test_health(client: Client, url: str) -> None:
    reply = await client.ask(request("GET", url))
    assert (reply.status, reply.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")
    assert reply.headers["x-amz-crc32"] == "3128867991"
    assert_dynamodb_headers(reply)


async def test_head_has_no_body(client: Client) -> None:
    client.send(request("HEAD", "/"))
    reply = await client.reply(with_body=False)
    assert (reply.status, reply.headers["content-length"]) == (200, "42")
    client.send(request("HEAD", "/nowhere"))
    assert (await client.reply(with_body=False)).status == 404
    assert (await client.ask(post("GetItem"))).status == 200


# --- pages in a browser -----------------------------------------------------------------------------------------------


async def test_preflight(client: Client) -> None:
    asked = {
        "Origin": "http://localhost:3000",
        "Access-Control-Request-Headers": "a, b, c",
        "Access-Control-Request-Method": "POST",
    }
    reply = await client.ask(request("OPTIONS", "/", asked))
    assert reply.status == 200
    assert reply.body == b""
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["access-control-allow-headers"] == "a, b, c"
    assert reply.headers["access-control-allow-methods"] == "POST"
    assert reply.headers["access-control-max-age"] == "172800"


async def test_answers_to_pages_of_this_machine(client: Client) -> None:
    reply = await client.ask(post("GetItem", headers={"Origin": "http://127.0.0.1:3000"}))
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
    reply = await client.ask(post("Nope", headers={"Origin": "whatever"}))
    assert reply.headers["access-control-allow-origin"] == "*"
    assert_error(reply, CORAL + "UnknownOperationException")


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost.evil.example", "null", "http://[x"])
async def test_without_keys_other_pages_are_refused(client: Client, engine: FakeEngine, origin: str) -> None:
    for data in (request("OPTIONS", "/", {"Origin": origin}), post("GetItem", headers={"Origin": origin})):
        reply = await client.ask(data)
        assert reply.status == 400
        assert reply.json()["__type"] == CORAL + "AccessDeniedException"
    assert engine.calls == []


# --- signatures -------------------------------------------------------------------------------------------------------

KEYS = {"AKIDLOCAL": Key("secret")}


async def test_with_keys_signatures_are_verified(serve: Serve, engine: FakeEngine) -> None:
    client = await Client.connect((await serve(KEYS)).port)
    assert (await client.ask(signed_post("GetItem", b"{}", "AKIDLOCAL", "secret"))).status == 200
    wrong = await client.ask(signed_post("GetItem", b"{}", "AKIDLOCAL", "guess"))
    assert wrong.json()["__type"] == CORAL + "InvalidSignatureException"
    unknown = await client.ask(signed_post("GetItem", b"{}", "AKIDOTHER", "secret"))
    assert unknown.json()["__type"] == CORAL + "UnrecognizedClientException"
    assert (await client.ask(post("GetItem"))).json()["__type"] == CORAL + "InvalidSignatureException"
    tampered = signed_post("GetItem", b'{"A":1}', "AKIDLOCAL", "secret").replace(b'"A":1', b'"A":2')
    assert (await client.ask(tampered)).json()["__type"] == CORAL + "InvalidSignatureException"
    assert len(engine.calls) == 1
    client.close()


async def test_with_keys_nothing_is_parsed_before_the_signature_is_verified(serve: Serve) -> None:
    client = await Client.connect((await serve(KEYS)).port)
    reply = await client.ask(post("Nope", b"not json", auth=False))
    assert reply.json()["__type"] == CORAL + "MissingAuthenticationTokenException"
    reply = await client.ask(signed_post("GetItem", b"not json", "AKIDLOCAL", "secret"))
    assert reply.json() == {"__type": CORAL + "SerializationException"}
    client.close()


async def test_with_keys_health_and_preflight_need_no_signature(serve: Serve) -> None:
    client = await Client.connect((await serve(KEYS)).port)
    assert (await client.ask(request("GET", "/"))).status == 200
    reply = await client.ask(request("OPTIONS", "/", {"Origin": "https://app.example"}))
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
    client.close()


async def test_without_keys_a_signature_must_be_there_but_may_be_anything(client: Client) -> None:
    loose = {"Authorization": "AWS4- Signature=b,Credential=a,SignedHeaders=x", "X-Amz-Date": "whenever"}
    assert (await client.ask(post("GetItem", headers=loose))).status == 200
    partial: Any = {"Authorization": "AWS4- Signature=b,Credential=a", "X-Amz-Date": None, "Date": "a"}
    text = "Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4- Signature=b,Credential=a"
    assert_error(
        await client.ask(post("GetItem", headers=partial)), CORAL + "IncompleteSignatureException", message=text
    )


LIST_TABLES = {"X-Amz-Target": "DynamoDB_20120810.ListTables"}

CHECKSUMS: list[tuple[str, dict[str, str], bytes, int]] = [
    ("/", {"Content-Type": "application/json"}, b"hi", 3948637019),
    ("/", {}, b"", 1368724161),
    ("/", {"X-Amz-Target": "DynamoDB_20120810.ListTable"}, b"", 1368724161),
    ("/", LIST_TABLES, b"", 2088342776),
    ("/", {**LIST_TABLES, "Authorization": "AWS4"}, b"", 2088342776),
    ("/?X-Amz-Algorith", {**LIST_TABLES, "Authorization": "X"}, b"", 2088342776),
    ("/?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d", LIST_TABLES, b"", 2088342776),
    ("/?X-Amz-Algorithm", {**LIST_TABLES, "Authorization": "X"}, b"", 2139606068),
    ("/", {**LIST_TABLES, "Authorization": "AWS4-"}, b"", 1828866742),
    ("/", {**LIST_TABLES, "Authorization": "AWS4- Signature=b Credential=a", "Date": "a"}, b"", 15336762),
    ("/", {**LIST_TABLES, "Authorization": "AWS4- Signature=b,Credential=a", "Date": "a"}, b"", 1159703774),
    ("/", {**LIST_TABLES, "Authorization": "AWS4- Signature=b, Credential=a", "Date": "a"}, b"", 164353342),
    ("/?X-Amz-Algorithm", LIST_TABLES, b"", 2900502663),
    ("/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d", LIST_TABLES, b"", 3712057481),
]
"""Requests, and the checksums that DynamoDB's own answers to them were seen to have."""


@pytest.mark.parametrize(("url", "headers", "body", "checksum"), CHECKSUMS)
async def test_refusals_are_dynamodbs_to_the_byte(
    client: Client, url: str, headers: dict[str, str], body: bytes, checksum: int
) -> None:
    reply = await client.ask(request("POST", url, {**headers, "Content-Length": str(len(body))}, body))
    assert (reply.status, reply.headers["x-amz-crc32"]) == (400, str(checksum)), reply.body
    assert reply.headers["content-type"] == "application/json"
    assert_dynamodb_headers(reply)
