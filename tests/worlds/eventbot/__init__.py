"""The event bot in simulated time: a strict Discord, an organiser, and people who press buttons at the same time.

Here is how they take part; `notices` and `organising` are what else they do, `promises` what is promised to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib import import_module

from sekkei.runtime.live import Live
from sekkei.worlds import Person, Script, World
from sekkei_fakes.discord import demo
from sekkei_fakes.discord.client import AppClient, Outcome
from sekkei_fakes.discord.discord import LocalDiscord, No
from sekkei_fakes.discord.end import API, DiscordEnd
from sekkei_systems import days
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, ORGANISER_ROLE, PEOPLE, RECRUIT
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.system import SYSTEM

TOKEN = "discord-token"
APPLICATION = "8000000000000000001"
SIGNER = Signer(b"the key of one world's Discord .")
CAPACITY = 2
EVENTS_BEGIN = "2026-01-20 21:00"
HOUR = 3600.0
BEFORE_A_MINUTE = 45.0
"""What is to happen at the next full minute happens while people act."""

WORLD = Script(
    "eventbot",
    [SYSTEM],
    seconds=21.0,
    settle_seconds=120.0,
    starts=(0.0, BEFORE_A_MINUTE, BEFORE_A_MINUTE + 5.0),
    rushes=(60.0,),
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
    local = LocalDiscord(world.store_outside(), "world", world.clock, Live(), demo.server(), APPLICATION, TOKEN)
    world.given["discord"] = local
    world.internet.services["discord.com"] = DiscordEnd(local)


def discord_of(world: World) -> LocalDiscord:
    found: LocalDiscord = world.given["discord"]
    return found


# People


@WORLD.role(1)
async def organiser(me: Person) -> None:
    """Sets the attendees' role, and what else some servers want; makes two events."""
    _takes_a_place(me)
    one_notice = me.world.given["one notice"] = me.dice.chance(0.7)
    wanted = {"thread": me.dice.chance(0.2), "mirror": me.dice.chance(0.2), "one_notice": one_notice}
    settings = {"attendee": ATTENDEE_ROLE, "organiser": ORGANISER_ROLE, **wanted}
    outcome = await app_of(me).command(me.memory["as"], RECRUIT, "event settings", settings)
    assert outcome.ok, outcome.reason
    await makes_an_event(me, "もくもく会")
    await makes_an_event(me, "読書会", in_minutes(me, 0) if me.dice.chance(0.4) else "")


async def makes_an_event(me: Person, title: str, start: str = "") -> str:
    values = {"title": title, "start": start or EVENTS_BEGIN, "capacity": str(CAPACITY)}
    outcome = await app_of(me).submit(me.memory["as"], RECRUIT, "e1:create:", values)
    return f"makes {title}: {told(outcome)}"


def in_minutes(me: Person, minutes: int) -> str:
    """So long after the next full minute, as people write it."""
    at = days.now_jst(me.world.clock) + timedelta(minutes=minutes + 1)
    return f"{at:%Y-%m-%d %H:%M}"


@WORLD.role(1)
async def helper(me: Person) -> None:
    """Has the organisers' role, and takes part as well."""
    _takes_a_place(me)


@WORLD.role(3)
async def member(me: Person) -> None:
    _takes_a_place(me)


def _takes_a_place(me: Person) -> None:
    me.memory["as"] = list(PEOPLE.values())[len(me.world.people) - 1]


def app_of(me: Person) -> AppClient:
    local = discord_of(me.world)

    async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        reply = await me.world.request("POST", "/eventbot/interactions", body, headers, me.dice)
        return reply.status, reply.body

    return AppClient(local, SIGNER, deliver, APPLICATION, me.world.clock)


def told(outcome: Outcome) -> str:
    """What somebody reads: the first words of an answer, or `done` where the message they pressed is drawn anew."""
    if not outcome.ok:
        return outcome.reason[:80]
    said = str((outcome.response.get("data") or {}).get("content") or "")
    return "done" if outcome.response["type"] in (6, 7) or not said else said.split("\n")[0][:60]


def events_of(world: World) -> list[Event]:
    return sorted((one for one in world.decoded("Events") if isinstance(one, Event)), key=lambda one: one.event_id)


async def _presses(me: Person, verb: str) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    outcome = await pressed(me, event, f"e1:{verb}:{uuid_of(event.event_id)}")
    return f"presses {verb} of {event.title}: {outcome if isinstance(outcome, str) else told(outcome)}"


def posted_events(me: Person) -> list[Event]:
    return [one for one in events_of(me.world) if one.recruit_message_id]


def some_event(me: Person, such: Callable[[Event], object] | None = None) -> Event | None:
    """One that somebody sees; of such a kind, if they look for one."""
    found = [one for one in posted_events(me) if such is None or such(one)]
    return me.dice.choice(found) if found else None


async def pressed(me: Person, event: Event, custom_id: str) -> Outcome | str:
    """Of an event's message; in words where that is gone from Discord: nobody can press it."""
    try:
        return await app_of(me).press(me.memory["as"], RECRUIT, str(event.recruit_message_id), custom_id)
    except No as no:
        return f"it is gone: {no}"


@WORLD.does("helper", 2.5)
@WORLD.does("member", 6)
async def joins(me: Person) -> str | None:
    return await _presses(me, "join")


@WORLD.does("helper", 1)
@WORLD.does("member", 3.5)
async def leaves(me: Person) -> str | None:
    return await _presses(me, "leave")


@WORLD.does("member", 1)
async def is_unsure(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["maybe", "no"]))


@WORLD.does("organiser", 1)
async def closes_or_opens(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["close", "reopen"]))


@WORLD.does("organiser", 0.6)
async def joins_too(me: Person) -> str | None:
    return await _presses(me, me.dice.choice(["join", "leave"]))


@WORLD.does("organiser", 0.3)
async def makes_another(me: Person) -> str | None:
    return await makes_an_event(me, new_title(me, "会"))


def new_title(me: Person, kind: str) -> str:
    """One that nothing else has in this world."""
    return f"{kind} {me.name[0]}{me.asker.name.rpartition('#')[2]}"


@WORLD.does("organiser", 0.2)
async def deletes_one(me: Person) -> str | None:
    return await _presses(me, "deleteyes")


for part in ("notices", "organising", "promises", "organised", "replies", "queueing"):  # they join the script
    import_module(f"tests.worlds.eventbot.{part}")
