"""Faults for the world of eventbot, one for each of its promises."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.design import Transaction
from tests.worlds.plants.planting import Planted, nothing, on_unconditional

LATE_SECONDS = 20.0
LONGER_THAN_A_LEASE = 40.0


def a_role_is_taken_from_the_wrong_person(patch: pytest.MonkeyPatch) -> None:
    from sekkei_systems.eventbot.local.world import PEOPLE
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
    from sekkei_systems.eventbot.service.queue import Queue

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


PLANTS = [
    Planted("eventbot", a_role_is_taken_from_the_wrong_person, "roles_equal_the_union_of_events", 0),
    Planted(
        "eventbot",
        who_settles_an_event_does_not_stay_the_only_one,
        "roles_equal_the_union_of_events",
        9,
        ("joins", "leaves"),
    ),
    Planted("eventbot", an_event_has_room_for_everybody, "counters_equal_a_recount", 2),
    Planted("eventbot", whoever_waits_is_given_a_place_and_waits_on, "nobody_waits_for_what_they_have", 0),
    Planted("eventbot", nobody_moves_up, "no_place_stays_empty_while_somebody_waits", 0),
    Planted("eventbot", members_of_a_deleted_event_stay, "nothing_remains_of_events_that_are_gone", 0),
    Planted("eventbot", a_removal_is_given_up, "nothing_is_given_up", 0),
]
