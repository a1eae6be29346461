"""ListStreams."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import (
    ValidationException,
)
from tests.engine.conftest import Tables
from tests.engine.operations.stream_reading import stream, stream_arn
from tests.engine.refusals import NO_ARN


async def test_streams_are_listed_in_pages_and_by_table(tables: Tables) -> None:
    for name in ("aaa", "bbb", "ccc"):
        await tables.create(name, StreamSpecification=stream("KEYS_ONLY"))
    first = await tables("ListStreams", Limit=2)
    assert [found["TableName"] for found in first["Streams"]] == ["aaa", "bbb"]
    second = await tables("ListStreams", ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])
    assert [found["TableName"] for found in second["Streams"]] == ["ccc"]
    assert "LastEvaluatedStreamArn" not in second
    only = await tables("ListStreams", TableName="bbb")
    assert only["Streams"] == [
        {
            "TableName": "bbb",
            "StreamArn": await stream_arn(tables.engine, "bbb"),
            "StreamLabel": (await stream_arn(tables.engine, "bbb")).rpartition("/")[2],
        }
    ]


@pytest.mark.parametrize(
    "request_",
    [
        {"TableName": "abc"},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("ListStreams", request_).request == request_


@pytest.mark.parametrize(
    "request_",
    [
        {"ExclusiveStartStreamArn": NO_ARN},
        {"Limit": 101},
    ],
)
def test_requests_about_streams_that_are_refused(request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationException):
        operations.check("ListStreams", request_)
