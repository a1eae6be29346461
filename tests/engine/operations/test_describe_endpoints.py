"""DescribeEndpoints."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import Engine, operations


async def test_endpoints() -> None:
    with Engine(None, region="ap-northeast-1") as engine:
        assert await engine.call("DescribeEndpoints", {}) == {
            "Endpoints": [{"Address": "dynamodb.ap-northeast-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
        }


@pytest.mark.parametrize(
    "request_",
    [
        {},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("DescribeEndpoints", request_).request == request_
