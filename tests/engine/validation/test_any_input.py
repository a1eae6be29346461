"""Whatever a caller sends, the answer is a typed error or a Checked, and the caller's own objects stay as they were."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.validation import shapes
from sekkei.errors import DynamoDBError, SerializationException, ValidationException
from tests.engine.validation.requests import Requests

SHAPES = {name: operation.shape for name, operation in operations.OPERATIONS.items()}
REQUESTS_EACH = 300


@pytest.mark.parametrize("operation", sorted(SHAPES))
def test_the_answer_is_typed_and_the_request_untouched(operation: str) -> None:
    requests = Requests(seed=1)
    outcomes: Counter[str] = Counter()
    for _ in range(REQUESTS_EACH):
        request = requests.of(SHAPES[operation])
        before = repr(request)
        try:
            checked = operations.check(operation, request)
        except (SerializationException, ValidationException) as error:
            outcomes[error.code] += 1
        else:
            assert isinstance(checked, operations.Checked)
            outcomes["Checked"] += 1
        assert repr(request) == before
    assert outcomes["SerializationException"], "the requests were not odd enough to show anything"


@pytest.mark.parametrize("operation", sorted(SHAPES))
def test_the_quick_check_and_the_slow_one_agree(operation: str) -> None:
    shape, requests, fine = SHAPES[operation], Requests(seed=2), 0
    for _ in range(REQUESTS_EACH):
        request = requests.of(shape, oddity=0.005)
        if shape.fine(request):
            fine += 1
            assert shapes.explain(shape, request) == request
    assert fine, "the requests were too odd to show anything"


def test_requests_with_expressions_are_accepted_as_often_as_they_should_be() -> None:
    """A guard for the two tests above: chance must also make requests that pass every rule."""
    requests, passed = Requests(seed=3), 0
    for _ in range(2_000):
        try:
            operations.check("PutItem", requests.of(SHAPES["PutItem"], oddity=0))
        except DynamoDBError:
            continue
        passed += 1
    assert passed > 20


@pytest.mark.parametrize("request_", [None, 1, "x", [], [{}], float("nan"), object()])
def test_a_request_that_is_no_object(request_: Any) -> None:
    for operation in SHAPES:
        with pytest.raises(SerializationException):
            operations.check(operation, request_)


def test_an_unknown_operation() -> None:
    with pytest.raises(DynamoDBError) as error:
        operations.check("Nonsense", {})
    assert error.value.code == "UnknownOperationException"


@pytest.mark.parametrize("wrap", [lambda v: {"L": [v]}, lambda v: {"M": {"a": v}}], ids=["L", "M"])
@pytest.mark.parametrize(("levels", "refused"), [(31, False), (32, True), (500, True), (20_000, True)])
def test_nesting_has_32_levels(wrap: Any, levels: int, refused: bool) -> None:
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = wrap(value)
    request = {"TableName": "abc", "Item": {"a": value}}
    if not refused:
        assert operations.check("PutItem", request).item == {"a": value}
        return
    with pytest.raises(ValidationException, match="Nesting Levels have exceeded supported limits"):
        operations.check("PutItem", request)


@pytest.mark.parametrize(
    "request_",
    [
        {"TableName": "abc", "Item": {"a": {"S": "\ud800"}}},
        {"TableName": "abc", "Item": {"\udfff": {"S": "a"}}},
        {"TableName": "abc", "Item": {"a": {"M": {"\ud800": {"S": "a"}}}}},
        {"TableName": "abc", "Item": {"a": {"SS": ["\ud800"]}}},
        {"TableName": "\ud800", "Item": {}},
        {"TableName": "abc", "Item": {}, "ConditionExpression": "\ud800"},
    ],
)
def test_half_a_surrogate_pair_is_no_text(request_: dict[str, Any]) -> None:
    with pytest.raises(SerializationException):
        operations.check("PutItem", request_)
