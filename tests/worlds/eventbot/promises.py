"""What holds in the world of the event bot: after every commit, or when everything has come to rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from sekkei.design.sync_driver import drive
from sekkei.runtime.wakeups import written
from sekkei.store.protocol import Request
from sekkei.worlds import World, promises
from sekkei_fakes.discord.design import LocalMessage, messages_of_channel
from sekkei_fakes.discord.discord import NONCE_LIFE
from sekkei_systems import days
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, NOTICES, RECRUIT
from sekkei_systems.eventbot.design import Ack, Answer, Event, Member, Notice, Reply, SignUpOption, Status
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.views import EventView, NoticeView, has_started, is_over
from sekkei_systems.eventbot.texts import wording
from tests.worlds.eventbot import WORLD, discord_of, events_of
from tests.worlds.eventbot.notices import components_in, notices_of, verb_of

SKEW = 3.0
"""By so much two clocks may differ."""
AT_ONCE = 15.0
"""Whoever reads something and acts on it may be so late, in a bad network."""
EVENT_REMINDER = re.compile(r"^⏰ \*\*(.+)\*\* がまもなく始まります。 <t:(\d+):R>")
NOTICE_REMINDER = re.compile(r"^🔔 連絡「(.+)」をまだ確認していない方は")
MOVED_UP = re.compile(r"^<@\d+> 空きが出たため「(.+)」の補欠から")
CALLED_OFF = re.compile(r"^\*\*(.+)\*\* は中止になりました。")


def members_in(world: World) -> list[Member]:
    return [one for one in world.decoded("EventMembers") if isinstance(one, Member)]


def _replies(world: World) -> list[Reply]:
    return [one for one in world.decoded("EventReplies") if isinstance(one, Reply)]


def waiting_in(world: World) -> list[Reply]:
    return [one for one in _replies(world) if one.answer is Answer.WAITING]


def _acks(world: World) -> list[Ack]:
    return [one for one in world.decoded("NoticeAcks") if isinstance(one, Ack)]


def _now(world: World) -> datetime:
    return days.now_jst(world.clock)


# What was once, and is no longer stored


@dataclass(slots=True)
class History:
    """By the true time, as commits go by."""

    members: dict[tuple[str, str], float] = field(default_factory=dict)
    """Who takes part, since when."""
    left: dict[tuple[str, str], float] = field(default_factory=dict)
    confirmed: dict[tuple[str, str], float] = field(default_factory=dict)
    """Notice and user."""
    closed: dict[str, float] = field(default_factory=dict)
    """Notices."""
    cancelled: dict[str, float] = field(default_factory=dict)
    """Events, also those that are being deleted."""
    events: dict[str, str] = field(default_factory=dict)
    """All that ever were, with their titles."""
    notices: dict[str, Notice] = field(default_factory=dict)
    reminders: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    """The times at which people were ever to be reminded, of which title and start."""
    natives: dict[str, str | None] = field(default_factory=dict)
    """Discord's own event of each event."""
    let_go: dict[str, float] = field(default_factory=dict)
    """Those of Discord's own that an event had before."""


def history_of(world: World) -> History:
    found: History = world.given["history"]
    return found


@WORLD.prepares
def keep_a_history(world: World) -> None:
    history = world.given["history"] = History()
    keeping: dict[str, Callable[[World, History], None]] = {
        world.table_name("Events"): _keep_events,
        world.table_name("EventMembers"): _keep_members,
        world.table_name("Notices"): _keep_notices,
        world.table_name("NoticeAcks"): _keep_acks,
    }

    def keep(operation: str, request: Request) -> None:
        for table in sorted({table for table, _ in written(operation, request)} & keeping.keys()):
            keeping[table](world, history)

    world.truth.after_write.append(keep)


def _keep_events(world: World, history: History) -> None:
    for event in events_of(world):
        history.events[event.event_id] = event.title
        if event.cancelled_at is not None:
            history.cancelled.setdefault(event.event_id, world.clock.now())
        before, history.natives[event.event_id] = history.natives.get(event.event_id), event.scheduled_event_id
        if before is not None and before != event.scheduled_event_id:
            history.let_go[before] = world.clock.now()
        if event.event_start_at is not None:
            times = {event.event_remind_at.isoformat()} if event.event_remind_at else set()
            key = (event.title, int(event.event_start_at.timestamp()))
            history.reminders.setdefault(key, set()).update(times, event.reminders)


def _keep_members(world: World, history: History) -> None:
    now, there = world.clock.now(), {(one.event_id, one.user_id) for one in members_in(world)}
    for gone in history.members.keys() - there:
        history.left[gone] = now
        del history.members[gone]
    for come in there - history.members.keys():
        history.members[come] = now
        history.left.pop(come, None)


def _keep_notices(world: World, history: History) -> None:
    for notice in notices_of(world):
        history.notices[notice.notice_id] = notice
        if notice.status is Status.CLOSED:
            history.closed.setdefault(notice.notice_id, world.clock.now())


def _keep_acks(world: World, history: History) -> None:
    for ack in _acks(world):
        history.confirmed.setdefault((ack.notice_id, ack.user_id), world.clock.now())


# After every commit


@WORLD.always_in("Events", "EventMembers", "EventReplies")
def counters_equal_a_recount(world: World) -> None:
    members: Counter[tuple[str, str | None]] = Counter(_places(members_in(world)))
    waiting: Counter[tuple[str, str | None]] = Counter(_places(waiting_in(world)))
    for event in (one for one in events_of(world) if one.cancelled_at is None):
        places: list[tuple[str | None, Event | SignUpOption]] = [(None, event), *event.options.items()]
        for id, one in places:
            of = f"{event.title}{f' ({event.options[id].name})' if id else ''}"
            there, queued = members[event.event_id, id], waiting[event.event_id, id]
            assert one.member_count == there, f"{of} says {one.member_count} members, there are {there}"
            assert one.waiting_count == queued, f"{of} says {one.waiting_count} wait, there are {queued}"


def _places(people: Iterable[Member | Reply]) -> Iterator[tuple[str, str | None]]:
    """Everybody counts in the whole, and in what they chose."""
    for one in people:
        yield one.event_id, None
        if one.option_id is not None:
            yield one.event_id, one.option_id


@WORLD.always_in("Events")
def nobody_takes_a_place_that_is_not_there(world: World) -> None:
    """Places may become fewer, and an organiser may put somebody in; beside that nobody comes into what is full."""
    before: dict[str, int] = world.given.setdefault("counted", {})
    by_hand: set[str] = world.given.setdefault("by hand", set())
    for event in events_of(world):
        counted: list[tuple[str, Event | SignUpOption]] = [("", event), *event.options.items()]
        for id, one in counted:
            count, places = one.member_count, one.capacity
            rose = count > before.get(event.event_id + id, 0)
            before[event.event_id + id] = count
            if rose and places is not None and event.event_id not in by_hand:
                assert count <= places, f"{count} people take part in {event.title}, which has {places} places"


@WORLD.always_in("EventMembers", "EventReplies")
def nobody_waits_for_what_they_have(world: World) -> None:
    members = {(one.event_id, one.user_id) for one in members_in(world)}
    both = members & {(one.event_id, one.user_id) for one in waiting_in(world)}
    assert not both, f"{sorted(both)} take part and wait"


@WORLD.always_in("Events", "Notices")
def one_notice_is_open_at_a_time(world: World) -> None:
    """Where the server wants it so."""
    if not world.given.get("one notice", True):
        return
    events = {one.event_id: one for one in events_of(world)}
    for notice in notices_of(world):
        event = events.get(notice.event_id)
        if event is None or event.cancelled_at is not None or notice.status is not Status.OPEN:
            continue
        current = event.open_notice_id
        assert current == notice.notice_id, f"{notice.title} is open beside {current or 'none'} in {event.title}"


# In the end

WORLD.finally_(promises.everything_ends)
WORLD.finally_(promises.nothing_is_given_up)


@WORLD.finally_
def no_place_stays_empty_while_somebody_waits(world: World) -> None:
    events = {one.event_id: one for one in events_of(world)}
    for one in waiting_in(world):
        event = events.get(one.event_id)
        if event is None or event.cancelled_at is not None or has_started(event, _now(world)):
            continue
        counts = [event, *([event.options[one.option_id]] if one.option_id in event.options else ())]
        full = any(each.capacity is not None and each.member_count >= each.capacity for each in counts)
        assert full, f"{event.title} has room, and {one.username} waits"


def _attending(world: World, moment: datetime) -> set[str]:
    """Who takes part in what was not over then."""
    alive = {one.event_id for one in events_of(world) if not is_over(one, moment)}
    return {one.user_id for one in members_in(world) if one.event_id in alive}


@WORLD.finally_
def roles_equal_the_union_of_events(world: World) -> None:
    """Whoever takes part in something that is not over has the role; nobody else, but those of what has just ended."""
    now = _now(world)
    wanted, just_now = _attending(world, now), _attending(world, now - timedelta(seconds=promises.LATE_SECONDS / 2))
    discord = discord_of(world)
    has = drive(discord.holders(ATTENDEE_ROLE))
    names = {id: one["user"]["username"] for id, one in discord.server.members.items()}
    wrongly, lacking = sorted(names[id] for id in has - just_now), sorted(names[id] for id in wanted - has)
    assert not wrongly, f"{wrongly} have the role and take part in nothing"
    assert not lacking, f"{lacking} take part and have no role"


@WORLD.finally_
def nothing_remains_of_events_that_are_gone(world: World) -> None:
    there = {one.event_id for one in events_of(world)}
    rows: list[Member | Reply | Notice | Ack] = [
        *members_in(world),
        *_replies(world),
        *notices_of(world),
        *_acks(world),
    ]
    left = [one for one in rows if one.event_id not in there]
    assert left == [], f"{len(left)} rows of events that are deleted, one a {type(left[0]).__name__}"


@WORLD.finally_
def no_message_remains_of_what_is_gone(world: World) -> None:
    """Of a post whose answer was lost Discord gives back the id, as long as it remembers."""
    if was_down_for_long(world):
        return
    there = {uuid_of(one.event_id) for one in events_of(world)}
    there |= {uuid_of(one.notice_id) for one in notices_of(world)}
    for message in said_to_all(world):
        for button in components_in(orjson.loads(message.body)):
            press = verb_of(button)
            assert press.uuid in there, f"a message with a button to {press.verb} is left of what is deleted"


@WORLD.finally_
def messages_show_what_is_stored(world: World) -> None:
    members, replies, now = members_in(world), _replies(world), _now(world)
    messages = {one.message_id: orjson.loads(one.body) for one in said_to_all(world)}
    words = wording("ja")
    for event in events_of(world):
        if str(event.recruit_message_id) in world.given.get("lost", ()):
            continue
        view = _view(event, members, replies)
        _assert_shown(messages.get(str(event.recruit_message_id)), render.event_message(view, now, words), event.title)
    events = {one.event_id: one for one in events_of(world)}
    for notice in notices_of(world):
        taking_part = _in_order(members, notice.event_id)
        acks = [one for one in _acks(world) if one.notice_id == notice.notice_id]
        found = NoticeView(notice, events[notice.event_id], taking_part, tuple(acks))
        body, wanted = messages.get(str(notice.notice_message_id)), render.notice_message(found, words)
        if notice.status is Status.CLOSED and body is not None:  # it stands as it was when it was closed
            wanted["embeds"][0] |= {name: body["embeds"][0][name] for name in ("fields",)}
        _assert_shown(body, wanted, notice.title)


def _view(event: Event, members: Iterable[Member], replies: Iterable[Reply]) -> EventView:
    said = sorted((one for one in replies if one.event_id == event.event_id), key=lambda o: (o.asked_at, o.user_id))
    answers = (
        tuple(one for one in said if one.answer is answer) for answer in (Answer.WAITING, Answer.MAYBE, Answer.NO)
    )
    waiting, maybe, no = answers
    return EventView(event, _in_order(members, event.event_id), waiting, maybe, no)


def _in_order(members: Iterable[Member], event_id: str) -> tuple[Member, ...]:
    found = [one for one in members if one.event_id == event_id]
    return tuple(sorted(found, key=lambda one: (one.joined_at, one.joined_ms, one.user_id)))


def _assert_shown(body: dict[str, Any] | None, wanted: dict[str, Any], title: str) -> None:
    assert body is not None, f"{title} is nowhere to be seen"
    for part in ("embeds", "components"):
        assert body.get(part) == orjson.loads(orjson.dumps(wanted[part])), (
            f"{title} shows {_difference(body.get(part), wanted[part])}"
        )


def _difference(shown: Any, stored: Any) -> str:
    """The first things that are not the same."""
    if isinstance(shown, dict) and isinstance(stored, dict):
        return next(
            (_difference(shown.get(k), stored.get(k)) for k in {**shown, **stored} if shown.get(k) != stored.get(k)), ""
        )
    if isinstance(shown, list) and isinstance(stored, list) and len(shown) == len(stored):
        return next((_difference(a, b) for a, b in zip(shown, stored, strict=True) if a != b), "")
    return f"{str(shown)[:60]!r}, stored is {str(stored)[:60]!r}"


def said_to_all(world: World, *channels: str) -> list[LocalMessage]:
    """What the bot has posted where everybody reads it, threads and all; or in some channels."""
    discord = discord_of(world)
    chosen = channels or (RECRUIT, NOTICES, *(id for id, _ in drive(discord.things("thread"))))
    found = [one for id in chosen for one in drive(discord.db.all(messages_of_channel(id).consistent()))]
    return sorted((one for one in found if one.seen_by is None), key=lambda one: one.message_id)


def was_down_for_long(world: World) -> bool:
    """While people acted: Discord has forgotten by what marks it would have known what is sent again."""
    return sum("nothing runs" in one.what for one in world.story) > len(world.script.rests)


def _heard(world: World, *channels: str) -> list[LocalMessage]:
    """What was said, without what is said again when Discord has forgotten by which mark it would know it."""
    last: dict[str, float] = {}
    found = []
    for message in said_to_all(world, *channels):
        at = message.at.timestamp()
        if at - last.setdefault(_content(message), at) <= NONCE_LIFE.total_seconds():
            found.append(message)
    return found


def _content(message: LocalMessage) -> str:
    return str(orjson.loads(message.body).get("content") or "")


@WORLD.finally_
def nobody_is_reminded_of_a_notice_falsely(world: World) -> None:
    """Only members who have not confirmed are rung, once, while the notice is open."""
    history = history_of(world)
    notices = {one.title: one for one in history.notices.values()}
    rung: set[str] = set()
    for message in _heard(world):
        if (found := NOTICE_REMINDER.match(_content(message))) is None:
            continue
        notice = notices[found[1]]
        assert notice.title not in rung, f"{notice.title} is reminded of twice"
        rung.add(notice.title)
        assert notice.reminded_at is not None, f"{notice.title} is reminded of, and nobody noted it"
        at = notice.reminded_at.timestamp() - AT_ONCE
        assert history.closed.get(notice.notice_id, at) >= at, f"{notice.title} was closed, and is reminded of"
        for user_id in message.pinged:
            done = history.confirmed.get((notice.notice_id, user_id), at)
            assert done >= at, f"{user_id} confirmed {notice.title}, and is reminded of it"
            away = history.left.get((notice.event_id, user_id), at)
            assert away >= at, f"{user_id} has left, and is reminded of {notice.title}"


@WORLD.finally_
def nobody_is_reminded_of_an_event_falsely(world: World) -> None:
    """Not more often than was asked for, not of what has been called off, and in words that are true."""
    history, discord = history_of(world), discord_of(world)
    directs = [id for id, _ in drive(discord.things("direct"))]
    for channels in ((), *((one,) for one in directs)):
        reminded: Counter[tuple[str, int]] = Counter()
        for message in _heard(world, *channels):
            if (found := EVENT_REMINDER.match(_content(message))) is None:
                continue
            key = found[1], int(found[2])
            reminded[key] += 1
            times = history.reminders.get(key)
            assert times is not None, f"{key[0]} was never to begin at {datetime.fromtimestamp(key[1])}"
            early = all(datetime.fromisoformat(at).timestamp() > message.at.timestamp() + SKEW for at in times)
            assert not early, f"{key[0]} is reminded of before anybody wanted it"
            assert reminded[key] <= len(times), f"{key[0]} is reminded of {reminded[key]} times"
            _assert_concerned(message, key[0], history, "reminded of")


def _assert_concerned(message: LocalMessage, title: str, history: History, told: str) -> None:
    at = message.at.timestamp() - AT_ONCE
    ids = [id for id, known in history.events.items() if known == title]
    if len(ids) == 1:
        for user_id in message.pinged:
            assert history.left.get((ids[0], user_id), at) >= at, f"{user_id} has left {title}, and is {told} it"
        assert history.cancelled.get(ids[0], at) >= at, f"{title} is called off, and {message.pinged} are {told} it"


@WORLD.finally_
def whoever_is_told_that_they_moved_up_takes_part(world: World) -> None:
    history = history_of(world)
    for message in _heard(world):
        if (found := MOVED_UP.match(_content(message))) is not None:
            _assert_concerned(message, found[1], history, "told that they moved up in")


@WORLD.finally_
def discords_own_events_are_ours(world: World) -> None:
    """Each once, with what it says here, as long as it is to come; none of what is called off. One that was over when
    its event was moved stays as it was, and another one is made."""
    there = dict(drive(discord_of(world).things("scheduled-event")))
    events = {one.scheduled_event_id: one for one in events_of(world) if one.scheduled_event_id is not None}
    let_go = history_of(world).let_go
    for id, body in there.items():
        if let_go.get(id, 0.0) >= datetime.fromisoformat(body["scheduled_end_time"]).timestamp():
            continue
        assert id in events, f"Discord has an event {body.get('name')} of which nobody knows"
        assert events[id].cancelled_at is None, f"Discord has {body.get('name')}, which is called off"
    for event in events_of(world):
        coming = event.cancelled_at is None and not has_started(event, _now(world))
        if event.mirror_wanted and event.event_start_at is not None and coming:
            shown = there.get(str(event.scheduled_event_id), {}).get("scheduled_start_time")
            same = shown is not None and datetime.fromisoformat(shown) == event.event_start_at
            assert same, f"{event.title} begins at {event.event_start_at}, by Discord at {shown}"


@WORLD.finally_
def reminders_come_in_time(world: World) -> None:
    """What was due before the long rest has been said, unless the event had begun, or was closed, by then."""
    script = world.script
    rested = world.clock.now() - sum(script.rests) - script.settle_seconds * (len(script.rests) + 0.5)
    events = {one.event_id: one for one in events_of(world)}
    for event in events.values():
        start, at = event.event_start_at, event.event_remind_at
        if start is None or at is None or event.cancelled_at is not None:
            continue
        if at.timestamp() < rested < start.timestamp():
            assert event.reminded_at is not None, f"{event.title} was to be reminded of at {at:%H:%M}"
    for notice in notices_of(world):
        closed = history_of(world).closed.get(notice.notice_id, rested)
        if notice.remind_at is None or closed < rested or events[notice.event_id].cancelled_at is not None:
            continue
        if notice.remind_at.timestamp() < rested:
            assert notice.reminded_at is not None, f"{notice.title} was to be reminded of at {notice.remind_at:%H:%M}"


@WORLD.finally_
def what_has_begun_is_closed(world: World) -> None:
    late = world.clock.now() - promises.LATE_SECONDS / 2
    events = {one.event_id: one for one in events_of(world)}
    for event in events.values():
        times = [at for at in (event.event_start_at, event.deadline_at) if at is not None]
        due = any(at.timestamp() < late for at in times)
        assert not due or event.status is Status.CLOSED, f"{event.title} has begun, or is past its deadline, and open"
    for notice in notices_of(world):
        event = events[notice.event_id]
        start = event.event_start_at
        begun = start is not None and notice.created_at.timestamp() + AT_ONCE < start.timestamp() < late
        open = notice.status is Status.OPEN and event.cancelled_at is None
        assert not (begun and open), f"{event.title} has begun, and {notice.title} waits to be confirmed"


@WORLD.finally_
def a_series_goes_on_once(world: World) -> None:
    events = {one.event_id: one for one in events_of(world)}
    following = Counter(one.next_event_id for one in events.values() if one.next_event_id is not None)
    twice = [id for id, count in following.items() if count > 1]
    assert not twice, f"{twice} follows two events"
    late = world.clock.now() - promises.LATE_SECONDS / 2
    for event in events.values():
        begun = event.event_start_at is not None and event.event_start_at.timestamp() < late
        if event.repeat is None or event.repeat_paused or event.cancelled_at is not None or not begun:
            continue
        assert event.next_event_id is not None, f"{event.title} has begun, and no other follows"
        known = history_of(world).events.get(event.next_event_id)
        assert known is not None, f"{event.title} is followed by what never was"
    coming = [one for one in events.values() if one.repeat is not None and one.cancelled_at is None]
    starts = Counter((one.title, one.event_start_at) for one in coming)  # what is off may be made up for at its time
    double = [title for (title, _), count in starts.items() if count > 1]
    assert not double, f"{double} come twice at the same time"


@WORLD.finally_
def whoever_would_have_come_hears_that_it_is_off(world: World) -> None:
    """Once; nobody of what goes on."""
    history = history_of(world)
    said = Counter(found[1] for one in _heard(world) if (found := CALLED_OFF.match(_content(one))))
    titles = Counter(history.events.values())
    off = Counter(history.events[id] for id in history.cancelled)
    for title, count in said.items():
        assert count <= off[title], f"{title} is called off {count} times, of {titles[title]}"
    for event in events_of(world):
        if event.cancelled_at is not None:
            assert said[event.title], f"{event.title} is called off, and nobody hears of it"
