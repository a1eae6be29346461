"""GetResourcePolicy, PutResourcePolicy and DeleteResourcePolicy."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine.storage.catalogue import ACCOUNT
from sekkei.errors import DynamoDBError
from tests.engine.partiql.running import Running, key_schema

ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/hash"
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow"}]}'
OTHER = '{"Version": "2012-10-17", "Statement": [{"Effect": "Deny"}]}'
NOT_FOUND = "Resource-based policy not found for the provided ResourceArn: "
INVALID = "One or more parameter values were invalid: "


async def call(running: Running, operation: str, **request: Any) -> dict[str, Any]:
    return await running.engine.call(f"{operation}ResourcePolicy", {"ResourceArn": ARN, **request})


async def refused(running: Running, operation: str, **request: Any) -> tuple[str, str]:
    with pytest.raises(DynamoDBError) as raised:
        await call(running, operation, **request)
    return raised.value.code, raised.value.message


async def test_a_policy_is_kept_until_it_is_deleted(running: Running) -> None:
    assert await refused(running, "Get") == ("PolicyNotFoundException", NOT_FOUND + ARN)
    revision = (await call(running, "Put", Policy=POLICY))["RevisionId"]
    assert await call(running, "Get") == {"Policy": POLICY, "RevisionId": revision}
    assert await call(running, "Put", Policy=POLICY) == {"RevisionId": revision}
    second = (await call(running, "Put", Policy=OTHER))["RevisionId"]
    assert second != revision
    assert await call(running, "Delete") == {"RevisionId": second}
    assert await call(running, "Delete") == {}
    assert (await refused(running, "Get"))[0] == "PolicyNotFoundException"


async def test_a_caller_can_insist_on_a_revision(running: Running) -> None:
    first = (await call(running, "Put", Policy=POLICY, ExpectedRevisionId="NO_POLICY"))["RevisionId"]
    assert await refused(running, "Put", Policy=OTHER, ExpectedRevisionId="NO_POLICY") == (
        "PolicyNotFoundException",
        f"{NOT_FOUND}Requested policy update expecting none to be present for table hash, "
        f"but a policy exists with revision id {first}.",
    )
    assert await refused(running, "Put", Policy=OTHER, ExpectedRevisionId="1") == (
        "PolicyNotFoundException",
        f"{NOT_FOUND}Requested update for policy with revision id 1, "
        f"but the policy associated to target table hash has revision id {first}.",
    )
    assert (await call(running, "Get"))["Policy"] == POLICY
    second = (await call(running, "Put", Policy=OTHER, ExpectedRevisionId=first))["RevisionId"]
    assert (await refused(running, "Delete", ExpectedRevisionId=first))[0] == "PolicyNotFoundException"
    assert await call(running, "Delete", ExpectedRevisionId=second) == {"RevisionId": second}
    assert (await refused(running, "Delete", ExpectedRevisionId=second))[0] == "PolicyNotFoundException"


@pytest.mark.parametrize(
    ("arn", "code", "message"),
    [
        ("hash", "ValidationException", f"{INVALID}ARNs must start with 'arn:': hash"),
        ("arn:aws:s3:::bucket", "ValidationException", f"{INVALID}Provided Arn is not a DynamoDB resource arn: "),
        (
            ARN.replace("hash", "none"),
            "ResourceNotFoundException",
            "Requested resource not found: Table: none not found",
        ),
        (ARN.replace("us-east-1", "us-west-2"), "ValidationException", f"{INVALID}Invalid resource Arn: "),
        (ARN.replace("arn:aws:", "arn:aws-cn:"), "ValidationException", f"{INVALID}Invalid resource Arn: "),
        (ARN.replace(ACCOUNT, "999999999999"), "ValidationException", "This action is only supported by accounts that"),
        (ARN + "/index/gsi", "ValidationException", f"{INVALID}Invalid resource arn provided, only table or stream is"),
        (ARN + "/backup/0170", "ValidationException", f"{INVALID}Provided Arn is not a DynamoDB resource arn: "),
        (
            ARN + "/stream/2000-01-01T00:00:00.000",
            "ResourceNotFoundException",
            "Requested resource not found: Stream: 2000-01-01T00:00:00.000 not found for Table: hash",
        ),
    ],
)
async def test_what_is_no_table_and_no_stream(running: Running, arn: str, code: str, message: str) -> None:
    for operation, more in (("Get", {}), ("Put", {"Policy": POLICY}), ("Delete", {})):
        told = await refused(running, operation, ResourceArn=arn, **more)
        assert told[0] == code
        assert told[1].startswith(message)


@pytest.mark.parametrize("policy", ["", "{", "[]", "{}", "null", '{"Statement": []}', '{"Statement": ["' + "x" * 21000])
async def test_what_is_no_policy(running: Running, policy: str) -> None:
    assert (await refused(running, "Put", Policy=policy))[0] == "ValidationException"
    assert (await refused(running, "Get"))[0] == "PolicyNotFoundException"


async def test_a_stream_has_a_policy_of_its_own(running: Running) -> None:
    described = await running.engine.call(
        "UpdateTable",
        {"TableName": "hash", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
    )
    stream = described["TableDescription"]["LatestStreamArn"]
    await call(running, "Put", ResourceArn=stream, Policy=POLICY)
    assert (await call(running, "Get", ResourceArn=stream))["Policy"] == POLICY
    assert await refused(running, "Get") == ("PolicyNotFoundException", NOT_FOUND + ARN)


async def test_a_table_can_be_created_with_a_policy(running: Running) -> None:
    await running.engine.call(
        "CreateTable",
        {
            "TableName": "guarded",
            "KeySchema": key_schema("pk"),
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "ResourcePolicy": POLICY,
        },
    )
    assert (await call(running, "Get", ResourceArn=ARN.replace("hash", "guarded")))["Policy"] == POLICY
    described = await running.engine.call("DescribeTable", {"TableName": "guarded"})
    assert not any("Polic" in name for name in described["Table"])
