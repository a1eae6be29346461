"""Scan."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.conftest import Tables, item
from tests.engine.refusals import faults, refusal


async def test_a_page_ends_at_one_megabyte(tables: Tables) -> None:
    await tables.create()
    for number in range(5):
        await tables.put(pk="a", sk=number, x="x" * 300_000)
    response = await tables("Scan", TableName="items")
    assert (len(response["Items"]), response["LastEvaluatedKey"]) == (4, item(pk="a", sk=3))
    rest = await tables("Scan", TableName="items", ExclusiveStartKey=response["LastEvaluatedKey"])
    assert len(rest["Items"]) == 1
    assert "LastEvaluatedKey" not in rest


async def test_segments_part_the_items(numbered: Tables) -> None:
    found: list[str] = []
    for segment in range(4):
        response = await numbered("Scan", TableName="items", Segment=segment, TotalSegments=4)
        found += [entry["pk"]["S"] + entry["sk"]["N"] for entry in response["Items"]]
    assert sorted(found) == sorted(f"{p}{n}" for p in "ab" for n in range(10))


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"Limit": 0}, faults(("0", "limit", "Member must have value greater than or equal to 1"))),
        (
            {"TotalSegments": 1000001, "Segment": -1},
            faults(
                ("1000001", "totalSegments", "Member must have value less than or equal to 1000000"),
                ("-1", "segment", "Member must have value greater than or equal to 0"),
            ),
        ),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("Scan", {"TableName": "abc", **request_}) == text


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            {"ProjectionExpression": "b", "Select": "ALL_ATTRIBUTES"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            {"AttributesToGet": ["b"], "Select": "COUNT"},
            "Cannot specify the AttributesToGet when choosing to get only the Count",
        ),
        (
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            {"Segment": 0},
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present",
        ),
        (
            {"TotalSegments": 4},
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present",
        ),
        (
            {"Segment": 5, "TotalSegments": 5},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 5 is not less than TotalSegments: 5",
        ),
    ],
)
def test_parameters_that_do_not_go_together(request_: dict[str, Any], text: str) -> None:
    assert refusal("Scan", {"TableName": "abc", **request_}) == text
