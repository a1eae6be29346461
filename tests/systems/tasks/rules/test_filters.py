"""A filter comes out of a URL, goes back into it, and is one query."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations
from urllib.parse import parse_qs

import pytest

from sekkei_systems.tasks.design.statuses import Order, Status
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.filters import BadFilter, Due, Filter, Late, Named, agenda, lateness, read, text_of_task

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


# What a search looks for.


def test_one_form_of_letters() -> None:
    assert text_of_task("ＡＷＳ", "Deploy") == "aws\ndeploy"


def test_words_are_few_and_each_counts_once() -> None:
    assert Filter(text="ＡＷＳ　aws 手順").words == ("aws", "手順")
    assert Filter(text="  ").words == ()
    assert len(Filter(text=" ".join(map(str, range(30)))).words) == 8


def test_names_of_tags_and_people_answer_too() -> None:
    named = Named.by(("急", "佐藤葵", "zzz"), {"TAG#1": "急ぎ", "TAG#2": "API"}, {"aoi": "佐藤 葵", "ren": "鈴木 蓮"})
    task = TaskDraft("x", tags=frozenset({"1"}), assignee="aoi").task("t", "k")
    assert named.words_of(task) == {"急", "佐藤葵"}
    assert (named.refs, named.ids) == ({"TAG#1"}, {"aoi"})
    assert named.words_of(TaskDraft("x").task("t", "k")) == set()


# What is late, and when the rest is due.


YESTERDAY = TODAY - timedelta(days=1)


@pytest.mark.parametrize(
    ("draft", "late"),
    [
        (TaskDraft("x", start=YESTERDAY), Late.START),
        (TaskDraft("x", start=YESTERDAY, end=YESTERDAY), Late.FINISH),
        (TaskDraft("x", start=YESTERDAY, end=TODAY, status=Status.DOING), None),
        (TaskDraft("x", end=YESTERDAY, status=Status.DOING), Late.FINISH),
        (TaskDraft("x", end=YESTERDAY, status=Status.DONE), None),
        (TaskDraft("x", start=TODAY, end=TODAY), None),
        (TaskDraft("x"), None),
    ],
)
def test_late_to_finish_counts_before_late_to_start(draft: TaskDraft, late: Late | None) -> None:
    assert lateness(draft.task("t", "k"), TODAY) is late


def test_work_is_grouped_by_when_it_is_due() -> None:
    ends = (YESTERDAY, TODAY, TODAY + timedelta(days=7), TODAY + timedelta(days=8), None)
    tasks = [TaskDraft(f"{end}", end=end).task("t", f"{end}") for end in ends]
    assert agenda(tasks, TODAY) == {when: [task] for when, task in zip(Due, tasks, strict=True)}
    assert agenda([], TODAY) == {}
