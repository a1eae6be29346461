"""The event bot in simulated time: a strict Discord, an organiser, and people who press buttons at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sekkei.design.driving import drive
from sekkei.runtime.live import Live
from sekkei.worlds import Person, Script, World, promises
from sekkei.worlds.world import Gone
from sekkei_systems.eventbot import SYSTEM
from sekkei_systems.eventbot.design import Answer, Event, Member, Reply, Status
from sekkei_systems.eventbot.local import world as town
from sekkei_systems.eventbot.local.client import AppClient, Outcome
from sekkei_systems.eventbot.local.discord import LocalDiscord
from sekkei_systems.eventbot.local.end import API, DiscordEnd
from sekkei_systems.eventbot.local.world import ATTENDEE_ROLE, PEOPLE, RECRUIT
from sekkei_systems.eventbot.ports.discord.signature import Signer

TOKEN = "discord-token"
APPLICATION = "8000000000000000001"
SIGNER = Signer(b"the key of one world's Discord .")
CAPACITY = 2
EVENTS_BEGIN = "2026-01-20 21:00"
HOUR = 3600.0

WORLD = Script(
    "eventbot",
    [SYSTEM],
    seconds=25.0,
    settle_seconds=120.0,
    leaps=(HOUR / 2,),
    rests=(HOUR,),
    settings={
        "discord_application_id": APPLICATION,
        "discord_public_key": SIGNER.public_key,
        "discord_bot_token": TOKEN,
        "discord_api_url": f"https://discord.com{API}",
    },
)


@WORLD.prepares
def open_discord(world: World) -> None:
    local = LocalDiscord(world.store_outside(), "world", world.clock, Live(), town.server(), APPLICATION, TOKEN)
    world.given["discord"] = local
    world.internet.services["discord.com"] = DiscordEnd(local)


def _discord(world: World) -> LocalDiscord:
    found: LocalDiscord = world.given["discord"]
    return found


# People


@WORLD.role(1)
async def organiser(me: Person) -> None:
    """Sets the attendees' role and makes two events."""
    _takes_a_place(me)
    outcome = await _app(me).command(me.memory["as"], RECRUIT, "event settings", {"attendee": ATTENDEE_ROLE})
    assert outcome.ok, outcome.reason
    for title in ("もくもく会", "読書会"):
        await _makes_an_event(me, title)


async def _makes_an_event(me: Person, title: str) -> str:
    values = {"title": title, "start": EVENTS_BEGIN, "capacity": str(CAPACITY)}
    outcome = await _app(me).submit(me.memory["as"], RECRUIT, "e1:create:", values)
    return f"makes {title}: {_told(outcome)}"


@WORLD.role(4)
async def member(me: Person) -> None:
    _takes_a_place(me)


def _takes_a_place(me: Person) -> None:
    me.memory["as"] = list(PEOPLE.values())[len(me.world.people) - 1]


def _app(me: Person) -> AppClient:
    local = _discord(me.world)

    async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        reply = await me.world.request("POST", "/eventbot/interactions", body, headers, me.dice)
        return reply.status, reply.body

    return AppClient(local, SIGNER, deliver, APPLICATION, me.world.clock)


def _told(outcome: Outcome) -> str:
    return "done" if outcome.ok else outcome.reason[:80]


def _events(world: World) -> list[Event]:
    return sorted((one for one in world.decoded("Events") if isinstance(one, Event)), key=lambda one: one.event_id)


async def _presses(me: Person, verb: str) -> str | None:
    posted = [one for one in _events(me.world) if one.recruit_message_id]
    if not posted:
        return None
    event = me.dice.choice(posted)
    custom_id = f"e1:{verb}:{event.event_id.partition('#')[2]}"
    try:
        outcome = await _app(me).press(me.memory["as"], RECRUIT, str(event.recruit_message_id), custom_id)
    except Gone:
        raise
    except Exception as error:  # the message is gone at Discord: nobody can press it
        return f"finds no {event.title} to press: {error}"
    return f"presses {verb} of {event.title}: {_told(outcome)}"


@WORLD.does("member", 6)
async def joins(me: Person) -> str | None:
    return await _presses(me, "join")


@WORLD.does("member", 4)
async def leaves(me: Person) -> str | None:
    return await _presses(me, "leave")


@WORLD.does("member", 1)
async def is_unsure(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["maybe", "no"]))


@WORLD.does("organiser", 1)
async def closes_or_opens(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["close", "reopen"]))


@WORLD.does("organiser", 1)
async def joins_too(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["join", "leave"]))


@WORLD.does("organiser", 0.3)
async def makes_another(me: Person) -> str | None:
    return await _makes_an_event(me, f"会 {me.dice.randint(1, 9)}")


@WORLD.does("organiser", 0.2)
async def deletes_one(me: Person) -> str | None:
    return await _presses(me, "deleteyes")


# Promises


def _members(world: World) -> list[Member]:
    return [one for one in world.decoded("EventMembers") if isinstance(one, Member)]


def _waiting(world: World) -> list[Reply]:
    found = (one for one in world.decoded("EventReplies") if isinstance(one, Reply))
    return [one for one in found if one.answer is Answer.WAITING]


@WORLD.always_in("Events", "EventMembers", "EventReplies")
def counters_equal_a_recount(world: World) -> None:
    members = Counter(one.event_id for one in _members(world))
    waiting = Counter(one.event_id for one in _waiting(world))
    for event in (one for one in _events(world) if one.cancelled_at is None):
        there, queued = members[event.event_id], waiting[event.event_id]
        assert event.member_count == there, f"{event.title} says {event.member_count} members, there are {there}"
        assert event.waiting_count == queued, f"{event.title} says {event.waiting_count} wait, there are {queued}"
        assert there <= CAPACITY, f"{there} people take part in {event.title}, which has {CAPACITY} places"


@WORLD.always_in("EventMembers", "EventReplies")
def nobody_waits_for_what_they_have(world: World) -> None:
    members = {(one.event_id, one.user_id) for one in _members(world)}
    both = members & {(one.event_id, one.user_id) for one in _waiting(world)}
    assert not both, f"{sorted(both)} take part and wait"


@WORLD.finally_
def no_place_stays_empty_while_somebody_waits(world: World) -> None:
    waiting = Counter(one.event_id for one in _waiting(world))
    for event in _events(world):
        full = event.member_count >= CAPACITY
        assert full or not waiting[event.event_id] or event.status is not Status.OPEN, f"{event.title} has room"


@WORLD.finally_
def roles_equal_the_union_of_events(world: World) -> None:
    """Whoever takes part in something has the role, and nobody else."""
    alive = {one.event_id for one in _events(world) if one.cancelled_at is None}
    wanted = {one.user_id for one in _members(world) if one.event_id in alive}
    discord = _discord(world)
    has = drive(discord.holders(ATTENDEE_ROLE))
    names = {id: one["user"]["username"] for id, one in discord.server.members.items()}
    wrongly, lacking = sorted(names[id] for id in has - wanted), sorted(names[id] for id in wanted - has)
    assert not wrongly, f"{wrongly} have the role and take part in nothing"
    assert not lacking, f"{lacking} take part and have no role"


@WORLD.finally_
def nothing_remains_of_events_that_are_gone(world: World) -> None:
    there = {one.event_id for one in _events(world)}
    left = [one.event_id for one in _members(world) if one.event_id not in there]
    left += [one.event_id for one in _waiting(world) if one.event_id not in there]
    assert left == [], f"{len(left)} rows of events that are deleted"


WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)
