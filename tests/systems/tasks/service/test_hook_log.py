"""An address that nothing reaches is stopped after days, and its admins hear of it."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.tasks.design import HookEvent, NoteKind
from sekkei_systems.tasks.service.hook_log import STOPPED_AFTER
from tests.systems.tasks.conftest import World


async def test_an_address_that_fails_for_days_is_stopped_and_the_admins_are_told(world: World) -> None:
    team = await world.team("ren")
    aoi, log = await world.admin("aoi", team.team_id), world.service.hook_log
    made, _ = await world.service.hooks.add(aoi, "https://hooks.example.com/in", frozenset(HookEvent))
    await log.missed(made)
    failing = await world.service.hooks.get(aoi, made.hook_id)
    assert failing.failing_since is not None
    await log.missed(failing)
    assert (await world.service.hooks.get(aoi, made.hook_id)).stopped_at is None
    world.clock.advance((STOPPED_AFTER + timedelta(seconds=1)).total_seconds())
    await log.missed(failing)
    await log.missed(failing)  # another worker saw the same
    assert (await world.service.hooks.get(aoi, made.hook_id)).stopped_at is not None
    (note,) = [one for one in await world.service.notes.page("aoi") if one.kind is NoteKind.HOOK]
    assert note.title == "hooks.example.com"
    assert [one for one in await world.service.notes.page("ren") if one.kind is NoteKind.HOOK] == []


async def test_one_that_arrives_ends_the_count(world: World) -> None:
    team = await world.team()
    aoi, log = await world.admin("aoi", team.team_id), world.service.hook_log
    made, _ = await world.service.hooks.add(aoi, "https://hooks.example.com/in", frozenset(HookEvent))
    await log.missed(made)
    await log.arrived(await world.service.hooks.get(aoi, made.hook_id))
    assert (await world.service.hooks.get(aoi, made.hook_id)).failing_since is None
