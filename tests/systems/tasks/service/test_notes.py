"""Notes: whoever is called or given a task is told, and nobody else."""

from __future__ import annotations

from sekkei.design import replace
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.sweeping import NOBODY
from sekkei_systems.tasks.design import HookEvent, NoteKind, Role, notes, notes_of
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.service.notes import Herald
from tests.systems.leaving import leave
from tests.systems.tasks.conftest import World


async def _kinds(world: World, who: str) -> list[NoteKind]:
    return [note.kind for note in await world.service.notes.page(who)]


async def test_whoever_is_called_or_given_a_task_is_told_and_nobody_else(world: World) -> None:
    team = await world.team("ren", "mei")
    aoi = await world.admin("aoi", team.team_id)
    tasks, told = world.service.tasks, world.service.notes
    made = await tasks.create(aoi, TaskDraft("仕事", assignee="mei"))
    comment = await world.service.comments.add(aoi, made.task_id, "@Ren 見てください @Aoi @Nobody")
    await world.settle()
    assert await _kinds(world, "ren") == [NoteKind.MENTION]
    assert sorted(kind.value for kind in await _kinds(world, "mei")) == ["assigned", "comment"]
    assert await _kinds(world, "aoi") == []
    assert await told.unread("mei") == 2
    await Herald(world.opened.context.db, world.clock).tell_of_comment(comment)  # the same record again
    await world.settle()
    assert await told.unread("ren") == 1
    await told.read_all("ren")
    assert await told.unread("ren") == 0
    assert [note.read for note in await told.page("ren")] == [True]


async def test_what_one_does_oneself_is_no_news(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="aoi"))
    await world.service.comments.add(aoi, made.task_id, "メモ @Aoi")
    await world.settle()
    assert await _kinds(world, "aoi") == []


# Names in others' notes


async def _given_by_ren(world: World) -> str:
    """Ren gave Aoi a task; returns the team."""
    team = await world.team("ren")
    ren = await world.member("ren", team.team_id)
    await world.service.tasks.create(ren, TaskDraft("仕事", assignee="aoi"))
    await world.settle()
    return team.team_id


async def _named(world: World, who: str) -> list[str]:
    return [note.by for note in await world.service.notes.page(who)]


async def test_notes_call_people_as_they_are_called_now(world: World) -> None:
    team_id = await _given_by_ren(world)
    await world.service.people.rename("ren", "Ren Tanaka")
    await world.settle()
    assert await _named(world, "aoi") == ["Ren Tanaka"]
    await world.service.teams.remove(await world.admin("aoi", team_id), "ren")
    await world.settle()
    assert await _named(world, "aoi") == ["Ren"], "whoever is out of the team is called as they were then"


async def test_a_former_name_goes_with_the_account_and_a_namesake_keeps_theirs(world: World) -> None:
    team_id = await _given_by_ren(world)
    await world.service.people.rename("ren", "Mei")
    await world.arrive("mei")
    mei = await world.join(team_id, "mei")
    await world.service.tasks.create(mei, TaskDraft("別の仕事", assignee="aoi"))
    await world.settle()
    await leave(world.opened.parts.personal, Person("ren", "ren@example.com", "Mei"))
    assert await _named(world, "aoi") == ["Mei", NOBODY]
    stored = await world.opened.context.db.all(notes_of("aoi").consistent())
    assert [(note.by, note.by_id) for note in stored] == [("Mei", "mei"), (NOBODY, None)]


async def test_a_note_of_an_earlier_version_is_known_by_the_name(world: World) -> None:
    await _given_by_ren(world)
    db = world.opened.context.db
    (note,) = await db.all(notes_of("aoi").consistent())
    await db.write(notes.put(replace(note, by_id=None)))
    assert await _named(world, "aoi") == ["Ren"]
    await leave(world.opened.parts.personal, Person("ren", "ren@example.com", "Ren"))
    assert await _named(world, "aoi") == [NOBODY]


async def test_a_late_stream_names_nobody_who_has_left(world: World) -> None:
    """What they said is told, without them."""
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="aoi"))
    said = await world.service.comments.add(ren, made.task_id, "@Aoi")
    await leave(world.opened.parts.personal, Person("ren", "ren@example.com", "Ren"))
    await Herald(world.opened.context.db, world.clock).tell_of_comment(said)
    assert await _named(world, "aoi") == [NOBODY]


# Notes of teams that somebody is in no more


async def test_notes_of_a_team_go_with_the_membership(world: World) -> None:
    team_id = await _given_by_ren(world)
    other = await world.service.teams.create("ren", "別のチーム")
    await world.join(other.team_id, "aoi", admin="ren")
    ren = await world.member("ren", other.team_id)
    await world.service.tasks.create(ren, TaskDraft("別の仕事", assignee="aoi"))
    await world.service.teams.set_role(await world.admin("aoi", team_id), "ren", Role.ADMIN)
    await world.settle()
    await world.service.teams.remove(await world.member("aoi", team_id), "aoi")
    await world.settle()
    assert [note.team_id for note in await world.service.notes.page("aoi")] == [other.team_id]


async def test_notes_of_a_team_go_with_the_team(world: World) -> None:
    team_id = await _given_by_ren(world)
    await world.service.teams.delete(await world.admin("aoi", team_id))
    await world.settle()
    assert list(await world.service.notes.page("aoi")) == []


async def test_nothing_is_told_out_of_a_team_that_is_being_deleted(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    await world.service.teams.delete(aoi)
    await Herald(world.opened.context.db, world.clock).tell_of_task(None, made)
    assert list(await world.service.notes.page("ren")) == []


async def test_an_admin_who_goes_meanwhile_is_not_told_of_a_stopped_webhook(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    hook, _ = await world.service.hooks.add(aoi, "https://9.9.9.9/in", frozenset(HookEvent))
    await world.service.teams.delete(aoi)
    await world.service.hook_log.missed(hook, gone=True)
    assert list(await world.service.notes.page("aoi")) == []


# What the stream tells people: once, however often it says so, and nothing of what is in the trash.


async def test_a_record_that_comes_again_tells_nobody_twice(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    herald = Herald(world.opened.context.db, world.clock)
    for _ in range(3):
        await herald.tell_of_task(None, made)
    assert await world.service.notes.unread("ren") == 1


async def test_nobody_is_told_of_what_is_in_the_trash(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("仕事", assignee="ren"))
    said = await world.service.comments.add(aoi, made.task_id, "@Ren")
    await world.service.trash.put(aoi, made.task_id)
    await Herald(world.opened.context.db, world.clock).tell_of_comment(said)
    assert await world.service.notes.unread("ren") == 0
