"""UntagResource."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.refusals import ARN, NOT_NULL, faults, refusal


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"ResourceArn": ARN}, faults((None, "tagKeys", NOT_NULL))),
        ({"ResourceArn": ARN, "TagKeys": []}, "Atleast one Tag Key needs to be provided as Input."),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("UntagResource", request_) == text
