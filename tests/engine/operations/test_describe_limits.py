"""DescribeLimits."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.partiql.running import Running


async def test_limits(running: Running) -> None:
    limits = await running.engine.call("DescribeLimits", {})
    assert limits == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


@pytest.mark.parametrize(
    "request_",
    [
        {},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("DescribeLimits", request_).request == request_
