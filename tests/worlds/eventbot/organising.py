"""What else an organiser does with an event, and the ways to take part: edits, options, hands, series, the end."""

from __future__ import annotations

from sekkei.worlds import Person
from sekkei_fakes.discord.client import Outcome
from sekkei_systems import days
from sekkei_systems.eventbot.demo.guild import PEOPLE, RECRUIT
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.views import has_started
from sekkei_systems.eventbot.texts import wording
from tests.worlds.eventbot import (
    WORLD,
    app_of,
    discord_of,
    in_minutes,
    makes_an_event,
    new_title,
    posted_events,
    pressed,
    some_event,
    told,
)
from tests.worlds.eventbot.notices import fills_in, shown, uses, verb_of

OF_ORGANISERS = "close", "reopen", "edit", "details", "options", "people", "tell", "cancelyes", "deleteyes"
REFUSED = {wording("ja")("refusal.not-organiser")[:60], wording("ja")("refusal.no-such-event")[:60]}
SAID_LATER = (5, 6)
"""Answers of a bot that takes longer than Discord waits."""
OPTIONS = ("机 1\n床 1", "机 1\n床", "机 2\n床 1\n窓")


@WORLD.does("helper", 0.4)
@WORLD.does("organiser", 0.4)
async def makes_one_that_is_soon(me: Person) -> str | None:
    start = in_minutes(me, me.dice.choice([0, 1, 20, 45, 75]))
    if me.dice.chance(0.5):
        start += f"-{in_minutes(me, me.dice.choice([1, 2, 50, 90]))[-5:]}"
    return await makes_an_event(me, new_title(me, "もうすぐ"), start)


def _is_to_come(me: Person, event: Event) -> bool:
    return event.cancelled_at is None and not has_started(event, days.now_jst(me.world.clock))


@WORLD.does("helper", 0.5)
@WORLD.does("organiser", 0.5)
async def moves_one(me: Person) -> str | None:
    event = some_event(me, lambda one: _is_to_come(me, one))
    if event is None:
        return None
    start = in_minutes(me, me.dice.choice([0, 1, 20, 62, 600]))
    verb = "editone" if event.repeat is not None and me.dice.chance(0.5) else "edit"
    return f"moves {event.title} to {start}: {await fills_in(me, event, verb, start=start)}"


@WORLD.does("helper", 0.3)
@WORLD.does("organiser", 0.3)
async def edits_one(me: Person) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    changes = {"capacity": str(me.dice.randint(1, 3))}
    verb = "editone" if event.repeat is not None and me.dice.chance(0.5) else "edit"
    return f"edits {event.title} ({', '.join(changes.values())}): {await fills_in(me, event, verb, **changes)}"


@WORLD.does("helper", 0.5)
@WORLD.does("organiser", 0.5)
async def sets_details(me: Person) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    changes = me.dice.choice(
        [
            {"remind": in_minutes(me, 0)},
            {"remind": f"{in_minutes(me, 0)}, {in_minutes(me, 1)}"},
            {"deadline": in_minutes(me, 0)},
            {"repeat": me.dice.choice(["DAILY", "WEEKLY", "none"])},
            {"waiting": me.dice.choice(["yes", "no"])},
        ]
    )
    said = await fills_in(me, event, "details", **changes)
    return f"sets {next(iter(changes))} of {event.title} to {next(iter(changes.values()))}: {said}"


@WORLD.does("helper", 0.4)
@WORLD.does("organiser", 0.4)
async def gives_a_choice(me: Person) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    options = me.dice.choice(OPTIONS)
    said = await fills_in(me, event, "options", options=options)
    return f"lets people choose {' / '.join(options.splitlines())} in {event.title}: {said}"


@WORLD.does("member", 3)
async def chooses(me: Person) -> str | None:
    event = some_event(me, lambda one: one.options)
    if event is None:
        return None
    buttons = await shown(me, RECRUIT, str(event.recruit_message_id), "option", "late")
    if not buttons:
        return None
    button = me.dice.choice(buttons)
    outcome = await pressed(me, event, button["custom_id"])
    return f"presses {button['label']} of {event.title}: {_said(outcome)}"


def _said(outcome: Outcome | str) -> str:
    return outcome if isinstance(outcome, str) else told(outcome)


@WORLD.does("member", 0.4)
async def wants_direct_messages(me: Person) -> str:
    wanted = me.dice.chance(0.8)
    outcome = await app_of(me).command(me.memory["as"], RECRUIT, "event notify", {"dm": wanted})
    return f"asks for {'' if wanted else 'no '}direct messages: {told(outcome)}"


@WORLD.does("organiser", 0.15)
async def calls_one_off(me: Person) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    verb = "cancelall" if event.repeat is not None and me.dice.chance(0.3) else "cancelyes"
    return f"presses {verb} of {event.title}: {_said(await pressed(me, event, f'e1:{verb}:{uuid_of(event.event_id)}'))}"


@WORLD.does("helper", 0.5)
@WORLD.does("organiser", 0.5)
async def puts_somebody_in_or_out(me: Person) -> str | None:
    """From the menu of people: one of them, and what is offered for them."""
    event = some_event(me, (lambda one: one.options) if me.dice.chance(0.4) else None)
    if event is None:
        return None
    menu = await pressed(me, event, f"e1:people:{uuid_of(event.event_id)}")
    if isinstance(menu, str) or menu.message_id is None:
        return f"looks for the people of {event.title}: {_said(menu)}"
    there = [one.user_id for one in me.world.decoded("EventMembers") if one.event_id == event.event_id]
    everybody = [one.memory["as"].id for one in me.world.people]
    somebody = me.dice.choice(sorted(there) if there and me.dice.chance(0.5) else everybody)
    for people in await shown(me, RECRUIT, menu.message_id, "person"):
        await uses(me, menu, people, [somebody])
    offered = await shown(me, RECRUIT, menu.message_id, "pseat", "pseatin", "premove", "pmove")
    if not offered:
        return f"looks for the people of {event.title}: {told(menu)}"
    chosen = me.dice.choice(offered)
    me.world.given.setdefault("by hand", set()).add(event.event_id)
    values = [me.dice.choice(chosen["options"])["value"]] if "options" in chosen else None
    said = told(await uses(me, menu, chosen, values))
    return f"presses {verb_of(chosen).verb} of {PEOPLE[somebody].username} in {event.title}: {said}"


@WORLD.does("member", 0.7)
async def tries_what_is_not_theirs(me: Person) -> str | None:
    """What only organisers are shown: as if by an app of somebody's own."""
    event = some_event(me)
    if event is None:
        return None
    verb = me.dice.choice(OF_ORGANISERS)
    outcome = await pressed(me, event, f"e1:{verb}:{uuid_of(event.event_id)}")
    said = _said(outcome)
    later = isinstance(outcome, Outcome) and outcome.response.get("type") in SAID_LATER
    in_vain = isinstance(outcome, str) or not outcome.ok or later or said in REFUSED
    assert in_vain, f"{me.name} is no organiser, and presses {verb}: {said}"
    return f"tries to press {verb} of {event.title}: {said}"


@WORLD.does("organiser", 0.15)
async def writes_to_them(me: Person) -> str | None:
    event = some_event(me, lambda one: one.member_count)
    if event is None:
        return None
    return f"writes to those in {event.title}: {await fills_in(me, event, 'tell', text='よろしくお願いします')}"


@WORLD.does("helper", 0.7)
@WORLD.does("organiser", 0.7)
async def rests_or_goes_on(me: Person) -> str | None:
    """With a series whose next one is not made yet; where there is none, out of what begins soonest."""
    event = some_event(me, lambda one: one.repeat is not None and not one.next_event_id and one.cancelled_at is None)
    if event is None:
        coming = [one for one in posted_events(me) if _is_to_come(me, one) and one.event_start_at is not None]
        if not coming:
            return None
        event = min(coming, key=lambda one: (str(one.event_start_at), one.event_id))
        return f"makes a series of {event.title}: {await fills_in(me, event, 'details', repeat='DAILY')}"
    verb = "resume" if event.repeat_paused else "pause"
    return f"presses {verb} of {event.title}: {_said(await pressed(me, event, f'e1:{verb}:{uuid_of(event.event_id)}'))}"


@WORLD.does("organiser", 0.2)
async def loses_a_message_and_posts_it_again(me: Person) -> str | None:
    """Somebody with a heavy hand deletes it in Discord, or just overlooks it; the event's page has a button."""
    event = some_event(me)
    if event is None:
        return None
    gone = me.dice.chance(0.5)
    if gone:
        me.world.given.setdefault("lost", set()).add(str(event.recruit_message_id))
        await discord_of(me.world).delete(RECRUIT, str(event.recruit_message_id))
    panel = await app_of(me).command(me.memory["as"], RECRUIT, "event manage", {"event": uuid_of(event.event_id)})
    buttons = await shown(me, RECRUIT, str(panel.message_id), "repost") if panel.message_id else []
    said = told(await uses(me, panel, buttons[0])) if buttons else told(panel)
    return f"{'deletes' if gone else 'overlooks'} the message of {event.title} and posts it again: {said}"


@WORLD.does("helper", 0.8)
@WORLD.does("organiser", 0.8)
async def notes_who_came(me: Person) -> str | None:
    event = some_event(me, lambda one: one.member_count and has_started(one, days.now_jst(me.world.clock)))
    if event is None:
        return None
    listed = await pressed(me, event, f"e1:attend:{uuid_of(event.event_id)}:0")
    if isinstance(listed, str) or listed.message_id is None:
        return f"looks who came to {event.title}: {_said(listed)}"
    for menu in await shown(me, RECRUIT, listed.message_id, "attended"):
        came = [one["value"] for one in menu["options"] if me.dice.chance(0.7)]
        return f"notes who came to {event.title}: {told(await uses(me, listed, menu, came))}"
    return None
