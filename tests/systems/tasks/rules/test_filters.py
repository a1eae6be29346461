"""A filter comes out of a URL, goes back into it, and is one query."""

from __future__ import annotations

from datetime import date
from itertools import combinations
from urllib.parse import parse_qs

import pytest

from sekkei_systems.tasks.design.statuses import Order, Status
from sekkei_systems.tasks.rules.filters import BadFilter, Filter, Late, read

TODAY = date(2025, 11, 6)
SUBSETS = [frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(Status, size)]


@pytest.mark.parametrize("statuses", SUBSETS)
@pytest.mark.parametrize("by", Order)
@pytest.mark.parametrize("late", [None, *Late])
def test_a_filter_survives_its_own_url(statuses: frozenset[Status], by: Order, late: Late | None) -> None:
    wanted = Filter(statuses, by, ("a", "b"), any_tag=True, late=late, text="デプロイ & 1", assignee="aoi")
    assert read(parse_qs(wanted.url().removeprefix("?"))) == wanted


def test_the_default_needs_no_parameters() -> None:
    assert Filter().url() == "?"
    assert read({}) == Filter()


@pytest.mark.parametrize(
    "parameters",
    [{"status": ["later"]}, {"by": ["title"]}, {"late": ["never"]}, {"tag": ["a#b"]}, {"tag": list("abcdefghijk")}],
)
def test_what_is_unknown_is_refused(parameters: dict[str, list[str]]) -> None:
    with pytest.raises(BadFilter):
        read(parameters)


def test_me_is_whoever_asks() -> None:
    assert read({"assignee": ["me"]}, me="aoi").assignee == "aoi"


@pytest.mark.parametrize("statuses", SUBSETS)
@pytest.mark.parametrize("by", Order)
def test_every_choice_reads_one_index_by_its_key(statuses: frozenset[Status], by: Order) -> None:
    request = Filter(statuses, by).query("t", TODAY).request("task-table-v3", 0)
    assert request["IndexName"].startswith(f"GSI_Status_{by.value.title()}_Sort_")
    assert request["IndexName"].endswith("All") == (len(statuses) == 3)
    # Only the indexes of all tasks still have what is in the trash.
    assert request.get("FilterExpression", "") == ("attribute_not_exists(#n2)" if len(statuses) == 3 else "")


def test_lateness_is_asked_of_the_key() -> None:
    found = {late: Filter(late=late).query("t", TODAY).request("task-table-v3", 0) for late in Late}
    assert {late: request["IndexName"] for late, request in found.items()} == {
        Late.START: "GSI_Status_Start_Sort_Group1",
        Late.FINISH: "GSI_Status_End_Sort_Group2",
        Late.DOING: "GSI_Status_End_Sort_Group3",
    }
    values = {value["S"] for request in found.values() for value in request["ExpressionAttributeValues"].values()}
    assert {"START#2025-11-06", "END#2025-11-06"} <= values
