"""Addresses that bounced get no mail."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei.runtime.design import Message
from sekkei.runtime.refusals import NotThere
from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import Unreachable
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service.mail import Digest
from tests.systems.tasks.conftest import World


async def test_whoever_bounced_is_not_written_to_again(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    invitations = world.service.invitations
    made = await invitations.invite(aoi, "gone@example.com", Role.MEMBER)
    await world.settle()
    [listed] = await invitations.open(aoi)
    assert listed.mail == "sent"
    await world.service.blocks.block("Gone@example.com", "bounce", "550")
    [listed] = await invitations.open(aoi)
    assert listed.mail == "bounced"
    with pytest.raises(Unreachable):
        await invitations.send_again(aoi, made.invite_id)
    await invitations.revoke(aoi, made.invite_id)
    with pytest.raises(Unreachable):
        await invitations.invite(aoi, "gone@example.com", Role.MEMBER)
    assert await invitations.open(aoi) == []
    await world.service.blocks.unblock("gone@example.com")
    await invitations.invite(aoi, "gone@example.com", Role.MEMBER)


# The morning's mail: once a day, only with a reason, and not to whoever does not want it.


TODAY = date(2025, 11, 6)


def _digest(world: World) -> Digest:
    return world.jobs.digest


async def _mail(world: World, who: str, day: date = TODAY) -> Message | None:
    return await world.opened.context.outbox.get(f"digest/{day}/{who}")


async def _morning(world: World) -> None:
    await world.opened.parts.scheduled["digest"]({})
    await world.settle()


async def test_late_work_of_all_teams_in_one_mail(world: World) -> None:
    first = await world.team("ren")
    second = await world.service.teams.create("ren", "別のチーム")
    tasks = world.service.tasks
    await tasks.create(
        await world.member("aoi", first.team_id), TaskDraft("締切済み", end=date(2025, 11, 3), assignee="ren")
    )
    await tasks.create(
        await world.member("ren", second.team_id), TaskDraft("未着手", start=date(2025, 11, 5), assignee="ren")
    )
    await tasks.create(
        await world.member("ren", second.team_id), TaskDraft("まだ先", end=date(2025, 11, 9), assignee="ren")
    )
    finished = await tasks.create(
        await world.member("ren", second.team_id), TaskDraft("済み", end=date(2025, 11, 1), assignee="ren")
    )
    await tasks.change(await world.member("ren", second.team_id), finished.task_id, TaskChanges(status=Status.DONE))
    await world.settle()
    await _morning(world)
    mail = await _mail(world, "ren")
    assert mail is not None
    assert mail.to == "ren@example.com"
    text = mail.body["text"]
    assert "締切済み" in text
    assert "3日超過" in text
    assert "未着手" in text
    assert "別のチーム" in text
    assert "まだ先" not in text
    assert "済み（別" not in text
    assert await _mail(world, "aoi") is None  # nothing of hers is late


async def test_nobody_gets_it_twice_or_against_their_will(world: World) -> None:
    team = await world.team("ren", "mei")
    aoi = await world.admin("aoi", team.team_id)
    for who in ("ren", "mei"):
        await world.service.tasks.create(aoi, TaskDraft("遅れ", end=date(2025, 11, 1), assignee=who))
    await world.settle()
    await _digest(world).want("ren", False)
    await world.service.blocks.block("mei@example.com", "bounce")
    await _morning(world)
    assert await _mail(world, "ren") is None
    assert await _mail(world, "mei") is None
    await _digest(world).want("ren", True)
    assert await _digest(world).send("ren", TODAY)
    assert not await _digest(world).send("ren", TODAY)


async def test_the_link_stops_it_for_its_owner_alone(world: World) -> None:
    await world.team("ren")
    token = _digest(world).stop_link("ren").rpartition("token=")[2]
    _digest(world).check("ren", token)
    for user, given in (("aoi", token), ("ren", "forged"), ("ren", "")):
        with pytest.raises(NotThere):
            _digest(world).check(user, given)
