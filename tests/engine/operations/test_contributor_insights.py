"""DescribeContributorInsights, UpdateContributorInsights and ListContributorInsights."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import DynamoDBError
from tests.engine.partiql.running import Running


async def update(running: Running, table: str, action: str, **more: Any) -> dict[str, Any]:
    request = {"TableName": table, "ContributorInsightsAction": action, **more}
    return await running.engine.call("UpdateContributorInsights", request)


async def describe(running: Running, table: str, **more: Any) -> dict[str, Any]:
    return await running.engine.call("DescribeContributorInsights", {"TableName": table, **more})


async def test_they_are_off_until_enabled(running: Running) -> None:
    assert await describe(running, "pair") == {"TableName": "pair", "ContributorInsightsStatus": "DISABLED"}
    assert await update(running, "pair", "ENABLE") == {
        "TableName": "pair",
        "ContributorInsightsStatus": "ENABLING",
        "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS",
    }
    described = await describe(running, "pair")
    assert described["ContributorInsightsStatus"] == "ENABLED"
    kinds = [rule.split("-")[1:3] for rule in described["ContributorInsightsRuleList"]]
    assert kinds == [["PKC", "pair"], ["SKC", "pair"], ["PKT", "pair"], ["SKT", "pair"]]
    assert (await update(running, "pair", "DISABLE"))["ContributorInsightsStatus"] == "DISABLING"
    described = await describe(running, "pair")
    assert described["ContributorInsightsStatus"] == "DISABLED"
    assert "ContributorInsightsRuleList" not in described


async def test_an_index_has_its_own_and_may_count_throttling_only(running: Running) -> None:
    await update(running, "wide", "ENABLE", IndexName="gsi-all", ContributorInsightsMode="THROTTLED_KEYS")
    described = await describe(running, "wide", IndexName="gsi-all")
    assert described["IndexName"] == "gsi-all"
    assert described["ContributorInsightsMode"] == "THROTTLED_KEYS"
    assert len(described["ContributorInsightsRuleList"]) == 1
    assert (await describe(running, "wide"))["ContributorInsightsStatus"] == "DISABLED"


async def test_a_list_has_what_is_enabled_page_by_page(running: Running) -> None:
    for name in ("wide", "hash", "pair"):
        await update(running, name, "ENABLE")
    await update(running, "wide", "ENABLE", IndexName="gsi-all")
    await update(running, "pair", "DISABLE")
    found: list[tuple[str, str | None]] = []
    page = await running.engine.call("ListContributorInsights", {"MaxResults": 2})
    while True:
        assert len(page["ContributorInsightsSummaries"]) <= 2
        found += [(one["TableName"], one.get("IndexName")) for one in page["ContributorInsightsSummaries"]]
        if "NextToken" not in page:
            break
        page = await running.engine.call("ListContributorInsights", {"MaxResults": 2, "NextToken": page["NextToken"]})
    assert found == [("hash", None), ("wide", None), ("wide", "gsi-all")]
    of_one = await running.engine.call("ListContributorInsights", {"TableName": "hash"})
    assert [one["TableName"] for one in of_one["ContributorInsightsSummaries"]] == ["hash"]


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        ("DescribeContributorInsights", {"TableName": "none"}, "Requested resource not found: Table: none not found"),
        (
            "UpdateContributorInsights",
            {"TableName": "none", "ContributorInsightsAction": "ENABLE"},
            "Requested resource not found: Table: none not found",
        ),
        ("ListContributorInsights", {"TableName": "none"}, "Requested resource not found: Table: none not found"),
        (
            "DescribeContributorInsights",
            {"TableName": "hash", "IndexName": "none"},
            "Requested resource not found: Index: none not found for table: hash",
        ),
        ("ListContributorInsights", {"NextToken": "x"}, "Invalid NextToken"),
        ("ListContributorInsights", {"NextToken": "9" * 5000}, "Invalid NextToken"),
    ],
)
async def test_what_is_not_there(running: Running, operation: str, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(DynamoDBError) as raised:
        await running.engine.call(operation, request_)
    assert raised.value.message == message
