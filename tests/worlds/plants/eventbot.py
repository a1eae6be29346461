"""Faults for the world of eventbot, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Transaction
from tests.worlds.plants.planting import Planted, nothing, on_unconditional, unconditional

LATE_SECONDS = 20.0
LONGER_THAN_A_LEASE = 40.0


def a_role_is_taken_from_the_wrong_person(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.demo.guild import PEOPLE
    from sekkei_systems.eventbot.ports.discord.rest import Rest

    sound, people = Rest.take_role, list(PEOPLE)

    async def take_role(self: Rest, guild_id: str, user_id: str, role_id: str) -> None:
        await sound(self, guild_id, people[people.index(user_id) - 1], role_id)

    patch.setattr(Rest, "take_role", take_role)


def discord_is_late(patch: pytest.MonkeyPatch, call: str = "take_role", seconds: float = LATE_SECONDS) -> None:
    """No fault of ours: every other call of a kind."""
    import asyncio

    from sekkei_systems.eventbot.ports.discord.rest import Rest

    sound = getattr(Rest, call)

    async def late(self: Rest, *given: Any) -> Any:
        await asyncio.sleep(seconds * (int(asyncio.get_running_loop().time()) % 2))
        return await sound(self, *given)

    patch.setattr(Rest, call, late)


def who_settles_an_event_does_not_stay_the_only_one(patch: pytest.MonkeyPatch) -> None:
    """Whoever waits for Discord for longer than a lease goes on with whom they have seen take part."""
    from sekkei.runtime.leases import Leases

    async def unrenewed(self: Leases[Any], row: Any, token: str) -> bool:
        return True

    discord_is_late(patch, "edit", LONGER_THAN_A_LEASE)
    patch.setattr(Leases, "_renew", unrenewed)


def an_event_has_room_for_everybody(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot import design

    on_unconditional(patch, design, "join")


def somebody_is_not_counted(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot import design

    sound = design.leave

    def leave(*given: Any) -> Transaction:
        return Transaction(sound(*given).actions[1])

    patch.setattr(design, "leave", leave)


def whoever_waits_is_given_a_place_and_waits_on(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot import design
    from sekkei_systems.eventbot.design import Event, events
    from sekkei_systems.eventbot.design.patterns import room

    sound = design.promote

    def promote(member: Any) -> Transaction:
        update = events.update(member.guild_id, member.event_id).add(Event.member_count, 1).keeping_version()
        return Transaction(update.when(room()), sound(member).actions[1])

    patch.setattr(design, "promote", promote)


def nobody_moves_up(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.members import Queue

    patch.setattr(Queue, "move_up", nothing([]))


def members_of_a_deleted_event_stay(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime.jobs import Progress
    from sekkei_systems.eventbot.jobs.removal import Removal

    patch.setattr(Removal, "_remove_members", nothing(Progress(0)))


def a_removal_is_given_up(patch: pytest.MonkeyPatch) -> None:
    from sekkei.runtime import jobs
    from sekkei_systems.eventbot.jobs.removal import Removal

    patch.setattr(jobs, "ATTEMPTS_MAX", 2)

    async def remove(self: Removal, payload: Any, cursor: str | None) -> Any:
        raise ValueError("it cannot be removed")

    patch.setattr(Removal, "_remove_event", remove)


def several_notices_are_open_at_once(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot import design

    sound = design.post_notice

    def post_notice(notice: Any) -> Transaction:
        create, update = sound(notice).actions
        return Transaction(create, unconditional(update))

    patch.setattr(design, "post_notice", post_notice)


def a_notice_does_not_count_who_joins(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.notices import Notices

    patch.setattr(Notices, "open_ones", nothing([]))


def who_has_confirmed_is_reminded(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.rules.views import NoticeView

    patch.setattr(NoticeView, "unconfirmed", property(lambda self: list(self.members)))


def a_reminder_is_not_noted(patch: pytest.MonkeyPatch) -> None:
    """So it comes again when the schedule is carried out again, under another reason."""
    from sekkei_systems.eventbot.design import Event, events
    from sekkei_systems.eventbot.jobs.reminders import Reminders
    from sekkei_systems.eventbot.service.desk import Desk

    sound, sound_call, calls = Reminders.remind_event, Desk.call, iter(range(10**9))

    async def remind_event(self: Reminders, payload: Any) -> None:
        await sound(self, payload)
        found = await self.desk.db.get(design_event(payload))
        if found is not None and found.reminded_at is not None:
            update = events.update(found.guild_id, found.event_id).keeping_version().remove(Event.reminded_at)
            await self.desk.db.write(update)
            await sound(self, payload)

    def design_event(payload: Any) -> Any:
        return events(str(payload["guild_id"]), str(payload["event_id"])).consistent()

    def call(self: Desk, *given: Any, id: str, **named: Any) -> Any:
        return sound_call(self, *given, id=f"{id}/{next(calls)}", **named)

    patch.setattr(Reminders, "remind_event", remind_event)
    patch.setattr(Desk, "call", call)


def nobody_is_reminded(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.reminders import Reminders

    patch.setattr(Reminders, "remind_notice", nothing())


def the_start_closes_nothing(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.events import Events

    patch.setattr(Events, "_apply_quietly", nothing())


def a_series_ends_with_its_first(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.events import Events

    patch.setattr(Events, "_repeat", nothing())


def nobody_is_told_that_it_is_off(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.events import Events

    patch.setattr(Events, "_announcing", nothing([]))


def a_notice_leaves_its_message(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.removal import Removal

    patch.setattr(Removal, "_delete_posts", nothing())


def discords_own_event_stays(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.events import Surroundings

    async def unmirror(self: Surroundings, event: Any) -> Any:
        return event

    patch.setattr(Surroundings, "unmirror", unmirror)


def a_series_rests_in_vain(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service import events

    sound = events.next_of

    async def next_of(desk: Any, event: Any, *, resumed: bool = False) -> Any:
        return await sound(desk, event, resumed=True)

    patch.setattr(events, "next_of", next_of)
    patch.setattr(events, "goes_on", events.Event.next_event_id.absent)


def everybody_is_counted_as_there(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.events import EventSettling, _plain

    async def count(self: EventSettling, run: Any) -> None:
        if any(one.attended is not None for one in run.view.members):
            update = _plain(run.event).set(type(run.event).attended_count, len(run.view.members))
            await self._write(update)

    patch.setattr(EventSettling, "_count_who_came", count)


def what_is_moved_keeps_its_schedules(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.events import EventSettling

    sound = EventSettling._wanted

    def wanted(self: EventSettling, event: Any, to_begin: bool) -> dict[str, str]:
        return {name: event.scheduled.get(name, at) for name, at in sound(self, event, to_begin).items()}

    patch.setattr(EventSettling, "_wanted", wanted)


def an_older_post_stays(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.jobs.events import EventSettling

    patch.setattr(EventSettling, "_clear", nothing())


def whoever_moved_up_is_told_whatever_they_did_since(patch: pytest.MonkeyPatch) -> None:
    """What waits in the outbox, for long every other time, goes out as it was written."""
    import asyncio

    from sekkei_systems.eventbot.ports.transports import Calls

    sound = Calls._as_of_now

    async def as_it_was(self: Calls, body: Any, call: Any) -> Any:
        if "start" in body.get("about", ()) or "notice_id" in body.get("about", ()):
            return await sound(self, body, call)
        await asyncio.sleep(LATE_SECONDS * (int(asyncio.get_running_loop().time()) % 2))
        return call

    patch.setattr(Calls, "_as_of_now", as_it_was)


def what_follows_an_answer_does_not_wait_for_it(patch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    from sekkei_systems.eventbot.ports import transports
    from sekkei_systems.eventbot.webhooks import presses

    patch.setattr(transports, "UNANSWERED_SECONDS", 0.0)
    patch.setattr(presses, "UNTIL_ANSWERED", timedelta())


def the_last_is_the_first(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.members import Queue

    sound = Queue.waiting

    async def waiting(self: Queue, guild_id: str, event_id: str) -> list[Any]:
        return list(reversed(await sound(self, guild_id, event_id)))

    patch.setattr(Queue, "waiting", waiting)


def anybody_organises(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.service.access import Access

    patch.setattr(Access, "may_organise", nothing(answer=True))


PLANTS = [
    Planted("eventbot", the_last_is_the_first, "whoever_has_waited_longest_is_first", 0, ("joins", "leaves")),
    Planted("eventbot", anybody_organises, "tries_what_is_not_theirs", 1),
    Planted("eventbot", a_role_is_taken_from_the_wrong_person, "roles_equal_the_union_of_events", 0),
    Planted(
        "eventbot",
        who_settles_an_event_does_not_stay_the_only_one,
        "roles_equal_the_union_of_events",
        3,
        ("joins", "leaves"),
    ),
    Planted("eventbot", an_event_has_room_for_everybody, "nobody_takes_a_place_that_is_not_there", 2),
    Planted("eventbot", somebody_is_not_counted, "counters_equal_a_recount", 0),
    Planted("eventbot", whoever_waits_is_given_a_place_and_waits_on, "nobody_waits_for_what_they_have", 4),
    Planted("eventbot", nobody_moves_up, "no_place_stays_empty_while_somebody_waits", 14),
    Planted("eventbot", members_of_a_deleted_event_stay, "nothing_remains_of_events_that_are_gone", 3),
    Planted("eventbot", a_removal_is_given_up, "nothing_is_given_up", 3),
    Planted("eventbot", several_notices_are_open_at_once, "one_notice_is_open_at_a_time", 7),
    Planted("eventbot", a_notice_does_not_count_who_joins, "messages_show_what_is_stored", 3),
    Planted("eventbot", who_has_confirmed_is_reminded, "nobody_is_reminded_of_a_notice_falsely", 2),
    Planted("eventbot", a_reminder_is_not_noted, "nobody_is_reminded_of_an_event_falsely", 1),
    Planted("eventbot", nobody_is_reminded, "reminders_come_in_time", 0),
    Planted("eventbot", the_start_closes_nothing, "what_has_begun_is_closed", 4),
    Planted("eventbot", a_series_ends_with_its_first, "a_series_goes_on_once", 8),
    Planted(
        "eventbot",
        whoever_moved_up_is_told_whatever_they_did_since,
        "whoever_is_told_that_they_moved_up_takes_part",
        0,
        ("joins", "leaves"),
    ),
    Planted("eventbot", nobody_is_told_that_it_is_off, "whoever_would_have_come_hears_that_it_is_off", 7),
    Planted("eventbot", a_notice_leaves_its_message, "no_message_remains_of_what_is_gone", 19),
    Planted(
        "eventbot",
        discords_own_event_stays,
        "discords_own_events_are_ours",
        0,
        ("deletes_one", "calls_one_off", "joins"),
    ),
    Planted("eventbot", a_series_rests_in_vain, "no_event_follows_while_a_series_rests", 1),
    Planted("eventbot", what_is_moved_keeps_its_schedules, "what_is_to_come_is_scheduled", 7),
    Planted("eventbot", an_older_post_stays, "what_is_posted_again_stands_there_once", 9),
    Planted("eventbot", everybody_is_counted_as_there, "who_came_is_counted", 19, ("notes_who_came", "joins")),
    Planted("eventbot", what_follows_an_answer_does_not_wait_for_it, "what_follows_an_answer_is_not_given_up", 4),
]
