"""TagResource, UntagResource, ListTagsOfResource."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.conftest import Tables
from tests.engine.operations.calls import described
from tests.engine.refusals import ARN, NOT_NULL, faults, refusal


async def test_tags(tables: Tables) -> None:
    await tables.create_plain()
    arn = (await described(tables, "plain"))["TableArn"]
    await tables("TagResource", ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    await tables("UntagResource", ResourceArn=arn, TagKeys=["a"])
    assert await tables("ListTagsOfResource", ResourceArn=arn) == {"Tags": [{"Key": "b", "Value": "2"}]}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, "Invalid TableArn"),
        ({"ResourceArn": ""}, "Invalid TableArn"),
        ({"ResourceArn": ARN}, faults((None, "tags", NOT_NULL))),
        (
            {"ResourceArn": "abc", "Tags": []},
            "One or more parameter values were invalid: ARNs must start with 'arn:': abc",
        ),
        ({"ResourceArn": ARN, "Tags": []}, "Atleast one Tag needs to be provided as Input."),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("TagResource", request_) == text


@pytest.mark.parametrize(
    "request_",
    [
        {"ResourceArn": ARN, "Tags": [{"Key": "k", "Value": ""}]},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("TagResource", request_).request == request_


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"ResourceArn": ARN}, faults((None, "tagKeys", NOT_NULL))),
        ({"ResourceArn": ARN, "TagKeys": []}, "Atleast one Tag Key needs to be provided as Input."),
    ],
)
def test_requests_that_are_refused_of_untag_resource(request_: dict[str, Any], text: str) -> None:
    assert refusal("UntagResource", request_) == text


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"ResourceArn": ARN[:-1]}, f"Invalid TableArn: Invalid ResourceArn provided as input {ARN[:-1]}"),
    ],
)
def test_requests_that_are_refused_of_list_tags_of_resource(request_: dict[str, Any], text: str) -> None:
    assert refusal("ListTagsOfResource", request_) == text
