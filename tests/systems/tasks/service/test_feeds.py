"""A member's calendar: its address is a secret that ends with the membership."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import NoSuchTeam
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.feeds import calendar
from tests.systems.tasks.conftest import World


async def _address(world: World, team_id: str, who: str) -> tuple[str, str]:
    *_, user_id, name = (await world.service.feeds.address(await world.member(who, team_id))).split("/")
    return user_id, name.removesuffix(".ics")


async def test_the_address_ends_with_its_renewal_and_with_the_membership(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    ren = await world.member("ren", team.team_id)
    await world.service.tasks.create(aoi, TaskDraft("会議", end=date(2025, 11, 7)))
    await world.settle()
    feeds = world.service.feeds
    first = await _address(world, team.team_id, "ren")
    assert "SUMMARY:会議" in (await feeds.open(team.team_id, *first)).decode()
    await feeds.renew(ren)
    second = await _address(world, team.team_id, "ren")
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, *first)
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, "aoi", second[1])
    await feeds.open(team.team_id, *second)
    await world.service.teams.remove(aoi, "ren")
    with pytest.raises(NoSuchTeam):
        await feeds.open(team.team_id, *second)


# The calendar: valid lines, whole days, nothing that is done.


NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)


def _lines(*drafts: TaskDraft) -> list[str]:
    tasks = [draft.task("t", f"k{number}") for number, draft in enumerate(drafts)]
    content = calendar("チーム, A;B", tasks, "https://x.example/tasks", NOW)
    assert content.endswith(b"END:VCALENDAR\r\n")
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))
    return content.decode().replace("\r\n ", "").split("\r\n")


def test_a_task_is_an_event_of_whole_days() -> None:
    lines = _lines(TaskDraft("会議, 朝; \\", "一\n二", start=date(2025, 11, 6), end=date(2025, 11, 7)))
    assert "X-WR-CALNAME:チーム\\, A\\;B" in lines
    assert "DTSTART;VALUE=DATE:20251106" in lines
    assert "DTEND;VALUE=DATE:20251108" in lines
    assert "SUMMARY:会議\\, 朝\\; \\\\" in lines
    assert "DESCRIPTION:一\\n二" in lines
    assert "URL:https://x.example/tasks/teams/t/tasks/k0" in lines


def test_one_date_is_enough_and_none_is_too_few() -> None:
    lines = _lines(
        TaskDraft("終わりだけ", end=date(2025, 11, 7)),
        TaskDraft("始めだけ", start=date(2025, 11, 8)),
        TaskDraft("いつか"),
        TaskDraft("済", end=date(2025, 11, 7), status=Status.DONE),
    )
    assert [line for line in lines if line.startswith("SUMMARY:")] == ["SUMMARY:終わりだけ", "SUMMARY:始めだけ"]


def test_long_lines_are_folded_between_characters() -> None:
    title = "あ" * 150
    assert f"SUMMARY:{title}" in _lines(TaskDraft(title, end=date(2025, 11, 7)))
