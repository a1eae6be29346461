"""ListTagsOfResource."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.refusals import ARN, refusal


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"ResourceArn": ARN[:-1]}, f"Invalid TableArn: Invalid ResourceArn provided as input {ARN[:-1]}"),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("ListTagsOfResource", request_) == text
