"""Events: made, edited, closed, opened again, called off, and what happens to them by the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
from msgspec import UNSET

from sekkei.design import Action, Condition, ConditionFailed, TransactionFailed, Update
from sekkei.runtime.refusals import Changed
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import Event, SignUpOption, Status, events
from sekkei_systems.eventbot.ports.discord.rest import DiscordError
from sekkei_systems.eventbot.refusals import (
    AlreadySo,
    Cancelled,
    ForeignEmoji,
    Missing,
    NoChannel,
    NoSuchEvent,
    OptionTaken,
    Started,
)
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import SHARED, Details, Draft, Written, checked
from sekkei_systems.eventbot.rules.identifiers import new_event_id, schedule_name, uuid_of
from sekkei_systems.eventbot.rules.markdown import call_messages, escaped, own_emoji_id
from sekkei_systems.eventbot.rules.views import EventView, has_started, is_over
from sekkei_systems.eventbot.rules.zones import following, moved, zone_of
from sekkei_systems.eventbot.service.access import Actor, Creator, Host
from sekkei_systems.eventbot.service.desk import SOON, Desk
from sekkei_systems.eventbot.service.guilds import Membership
from sekkei_systems.eventbot.service.members import members_in_order, view_of_event

# A series: the next event out of this one, by the guild's clocks; and what only this one has is not passed on.


_CARRIED = (
    "guild_id", *SHARED, "created_by", "created_by_name", "recruit_channel_id", "notice_channel_id",
    "waiting_list", "repeat", "thread_wanted", "mirror_wanted", "ping",
)  # fmt: skip
"""What the next one has from this one. Not the roles: who gets which and who may join is for the server to say, and a
role that it takes back comes back with no series."""
_TIMES = ("event_start_at", "event_end_at", "deadline_at", "event_remind_at")
_OTHERS = ("reminders", "repeat_day", "repeat_time")


def kept(event: Event) -> str:
    """What the series has, before one of its events is changed alone: its times, and what templates keep too."""
    if event.series is not None:
        return event.series
    texts = {name: getattr(event, name) for name in SHARED}
    times = {name: at.isoformat() if (at := getattr(event, name)) else None for name in _TIMES}
    others = {name: getattr(event, name) for name in _OTHERS}
    return orjson.dumps({**texts, **times, **others}).decode()


def _as_series(event: Event) -> dict[str, Any]:
    """The event's values as the series has them."""
    values = {name: getattr(event, name) for name in (*_CARRIED, *_TIMES, *_OTHERS)}
    if event.series is not None:
        for name, value in orjson.loads(event.series).items():
            values[name] = datetime.fromisoformat(value) if name in _TIMES and value else value
    return values


def goes_on() -> Condition[Event]:
    """The next one is yet to be made, and nobody has ended the series, or let it rest, since it was read."""
    rests = Event.repeat_paused == True  # noqa: E712
    return Event.next_event_id.absent() & Event.repeat.exists() & ~rests


async def next_of(desk: Desk, event: Event, *, resumed: bool = False) -> Event | None:
    """The next of a series that is still to come; None where there is none, or it rests and is not resumed now."""
    values = _as_series(event)
    start = values["event_start_at"]
    rests = event.repeat_paused and not resumed
    if event.repeat is None or rests or event.next_event_id is not None or start is None:
        return None
    settings = await desk.settings(event.guild_id)
    zone = zone_of(settings.time_zone)
    wall = start.astimezone(zone)
    day, clock = values["repeat_day"] or wall.day, values["repeat_time"] or f"{wall:%H:%M}"
    after = following(start, event.repeat, zone, day=day, clock=clock)
    while after <= desk.now():  # after a long pause
        after = following(after, event.repeat, zone, day=day, clock=clock)
    further = [moved(datetime.fromisoformat(at), start, after, zone) for at in values["reminders"]]
    times = {name: moved(values[name], start, after, zone) for name in _TIMES}
    return Event(
        **{
            **{name: values[name] for name in _CARRIED},
            **times,
            "reminders": [at.isoformat() for at in further if at is not None],
            "event_id": new_event_id(desk.clock),
            "created_at": desk.now(),
            "event_start_at": after,
            "repeat_day": day,
            "repeat_time": clock,
            "attendee_role_id": settings.attendee_role_id,
            "member_role_id": settings.member_role_id,
            "options": drafts.emptied_options(event.options),
        }
    )


_A_WHILE = timedelta(minutes=1)
"""By less than that our clocks differ."""


@dataclass
class Events:
    """Operations on events. Whatever must be seen in Discord afterwards is written down in the same transaction."""

    desk: Desk
    look_up: Membership

    async def create(self, actor: Creator, draft: Draft, channel_id: str | None = None) -> Event:
        """Settings say where it is posted."""
        desk, draft = self.desk, checked(draft)
        if draft.title is UNSET:
            raise Missing(field="title")
        settings = await desk.settings(actor.guild_id)
        channel = settings.recruit_channel_id or channel_id
        if not channel:
            raise NoChannel()
        await self._must_know_emoji(actor.guild_id, draft.options)
        now, start = desk.now(), None if draft.start is UNSET else draft.start
        event = Event(
            guild_id=actor.guild_id,
            event_id=new_event_id(desk.clock),
            **draft.shared,
            created_by=actor.user_id,
            created_by_name=actor.name,
            created_at=now,
            recruit_channel_id=channel,
            notice_channel_id=settings.notice_channel_id or channel,
            event_start_at=start,
            event_end_at=draft.end,
            event_remind_at=_reminder(start, settings.remind_minutes_before, now),
            options=drafts.new_options(draft.options),
            thread_wanted=settings.make_thread,
            mirror_wanted=settings.mirror_events and start is not None,
            attendee_role_id=settings.attendee_role_id,
            member_role_id=settings.member_role_id,
            ping=draft.ping,
        )
        await desk.transact(events.create(event), desk.settle_event(event.guild_id, event.event_id, SOON), by=actor)
        desk.changed(actor.guild_id)
        return await desk.event(event.guild_id, event.event_id)

    async def _must_know_emoji(self, guild_id: str, wanted: Sequence[Written]) -> None:
        """Discord refuses a post with an emoji of another server: said before it is made. While Discord is silent, the
        post itself will tell."""
        own = {id: one for one in wanted if (id := own_emoji_id(one.emoji)) is not None}
        if not own:
            return
        try:
            known = await self.look_up.emojis(guild_id)
        except DiscordError:
            return
        for id, one in own.items():
            if id not in known:
                raise ForeignEmoji(field="options", name=one.name, emoji=one.emoji)

    async def get(self, guild_id: str, event_id: str) -> Event:
        return await self.desk.event(guild_id, event_id)

    async def view(self, guild_id: str, event_id: str) -> EventView:
        return await view_of_event(self.desk.db, await self.desk.event(guild_id, event_id))

    async def all_of_guild(self, guild_id: str) -> list[Event]:
        """Past and to come, by their start."""
        return sorted(await self.desk.db.all(design.events_of_guild(guild_id)), key=_by_start)

    async def of_guild(self, guild_id: str, *, past: bool = False) -> list[Event]:
        """A guild's events that are yet to come, soonest first; or those that are over, latest first."""
        now = self.desk.now()
        found = await self.desk.db.all(design.events_of_guild(guild_id))
        over = [one for one in found if is_over(one, now)]
        if past:
            return sorted(over, key=_by_start, reverse=True)
        gone = {one.event_id for one in over}
        return sorted((one for one in found if one.event_id not in gone), key=_by_start)

    async def edit(self, host: Host, draft: Draft, version: int | None = None, *, only: bool = False) -> Event:
        """What was read before must still be there: of two people who edit at once, the second is told.

        Of a series the following ones get it too, unless it is for this one `only`."""
        draft = checked(draft)
        event = self._editable(host, version)
        settings = await self.desk.settings(event.guild_id)
        start, end = event.event_start_at if draft.start is UNSET else draft.start, draft.end
        update = self._update(event).set(Event.event_start_at, start)
        update = update.set(Event.series, kept(event) if only and event.repeat is not None else None)
        for name, value in draft.shared.items():
            update = update.set(getattr(Event, name), value)
        if start != event.event_start_at:
            update = update.set(
                Event.event_remind_at, _moved_reminder(event, start, settings.remind_minutes_before, self.desk.now())
            )
            update = update.remove(Event.reminded_at).remove(Event.reminded)
            update = update.remove(Event.repeat_day).remove(Event.repeat_time)
            update = update.set(Event.reminders, _moved_further(event, start, self.desk.now()))
            if end is None and event.event_end_at and event.event_start_at and start:
                end = start + (event.event_end_at - event.event_start_at)
        elif end is None:
            end = event.event_end_at
        return await self._apply(event, update.set(Event.event_end_at, end), by=host.actor)

    async def set_details(self, host: Host, details: Details, version: int | None = None) -> Event:
        event = self._editable(host, version)
        update = self._update(event).set(Event.deadline_at, details.deadline).set(Event.repeat, details.repeat)
        update = update.set(Event.event_end_at, details.end).set(Event.waiting_list, details.waiting_list)
        if details.remind_at != event.event_remind_at:
            update = update.set(Event.event_remind_at, details.remind_at).remove(Event.reminded_at)
        further = [at.isoformat() for at in details.further]
        if further != event.reminders:
            update = update.set(Event.reminders, further)
        update = update.set(Event.series, _with_details(event, details))
        again = self._soon_again(event) if details.repeat != event.repeat else []
        return await self._apply(event, update, *again, by=host.actor)

    async def set_options(self, host: Host, wanted: list[Written], version: int | None = None) -> Event:
        """The ways to take part. People stay in theirs; one that somebody is in, or waits for, is not removed."""
        event = self._editable(host, version)
        await self._must_know_emoji(event.guild_id, wanted)
        update = self._update(event)
        if not event.options:
            return await self._apply(event, update.set(Event.options, drafts.new_options(wanted)), by=host.actor)
        revision = drafts.revised_options(event.options, wanted)
        for id in revision.gone:
            option, entry = event.options[id], Event.options.entry(id)
            if option.member_count or option.waiting_count:
                raise OptionTaken(name=option.name)
            empty = (entry.at(SignUpOption.member_count) == 0) & (entry.at(SignUpOption.waiting_count) == 0)
            update = update.remove(entry).when(empty)
        for id, (position, one) in revision.kept.items():
            entry = Event.options.entry(id)
            update = update.set(entry.at(SignUpOption.name), one.name).set(entry.at(SignUpOption.emoji), one.emoji)
            update = update.set(entry.at(SignUpOption.capacity), one.capacity)
            update = update.set(entry.at(SignUpOption.position), position)
        for id, new in revision.new.items():
            update = update.set(Event.options.entry(id), new)
        return await self._apply(event, update, by=host.actor)

    async def close(self, host: Host) -> Event:
        event = host.event
        update = self._plain(event).set(Event.status, Status.CLOSED).when(Event.status == Status.OPEN)
        return await self._apply(event, update, by=host.actor)

    async def reopen(self, host: Host) -> Event:
        """Only what has neither started nor been called off; a deadline that has passed is dropped."""
        event = self._editable(host, None)
        update = self._plain(event).set(Event.status, Status.OPEN)
        if event.deadline_at is not None and event.deadline_at <= self.desk.now():
            update = update.remove(Event.deadline_at)
        update = update.when(Event.status == Status.CLOSED, Event.cancelled_at.absent())
        return await self._apply(event, update, *self._soon_again(event), by=host.actor)

    async def cancel(self, host: Host, *, series: bool = False) -> Event:
        """Called off for good, and announced to those who would have come. A series goes on, unless all of it ends."""
        event = host.event
        if has_started(event, self.desk.now()):
            raise Started()
        update = self._plain(event).set(Event.status, Status.CLOSED).set(Event.cancelled_at, self.desk.now())
        update = update.when(Event.cancelled_at.absent())
        fresh = None if series else await next_of(self.desk, event)
        further: list[Action[Any, Any]] = await self._announcing(event, fresh)
        if fresh is not None:
            update = update.set(Event.next_event_id, fresh.event_id).when(goes_on(), Event.version == event.version)
            further += [events.create(fresh), self.desk.settle_event(fresh.guild_id, fresh.event_id, SOON)]
        return await self._apply(event, update, *further, by=host.actor)

    async def _announcing(self, event: Event, fresh: Event | None) -> list[Action[Any, Any]]:
        words, title = await self.desk.words(event.guild_id), escaped(event.title)
        text = words("bot.called-off", title=title)
        if fresh is not None and fresh.event_start_at is not None:
            text = words("bot.called-off-next", title=title, unix=int(fresh.event_start_at.timestamp()))
        people = [member.user_id for member in await members_in_order(self.desk.db, event)]
        told = call_messages(text, people)
        return [self.desk.call(event.recruit_channel_id or "", told, id=f"cancelled/{uuid_of(event.event_id)}")]

    async def repost(self, host: Host) -> Event:
        """Post the recruiting message anew: it was deleted, or the bot could not post. If it is there after all, it
        goes; one whose answer was lost is given back by Discord under its old mark, so that has to stay."""
        event, id = host.event, host.event.recruit_message_id
        update = self._plain(event).remove(Event.delivery_error)
        if id is None:
            update = update.when(Event.recruit_message_id.absent())
        else:
            update = update.remove(Event.recruit_message_id).add(Event.posts, 1).add(Event.replaced, {id})
            update = update.when(Event.recruit_message_id == id)
        return await self._apply(event, update, by=host.actor)

    async def pause(self, host: Host) -> Event:
        """No further events of the series, until it is resumed."""
        event = host.event
        update = self._plain(event).set(Event.repeat_paused, True)
        resting = Event.repeat_paused.absent() | (Event.repeat_paused == False)  # noqa: E712
        return await self._apply(event, update.when(resting, Event.repeat.exists()), by=host.actor)

    async def resume(self, host: Host) -> Event:
        """The series goes on; where this one is over, with the next that is still to come."""
        event, now = host.event, self.desk.now()
        update = self._plain(event).remove(Event.repeat_paused).when(Event.repeat_paused == True)  # noqa: E712
        further: list[Action[Any, Any]] = []
        if event.cancelled_at is not None or has_started(event, now):
            fresh = await next_of(self.desk, event, resumed=True)
            if fresh is not None:
                update = update.set(Event.next_event_id, fresh.event_id).when(Event.next_event_id.absent())
                further = [events.create(fresh), self.desk.settle_event(fresh.guild_id, fresh.event_id, SOON)]
        else:
            further = self._soon_again(event)
        return await self._apply(event, update, *further, by=host.actor)

    def _soon_again(self, event: Event) -> list[Action[Any, Any]]:
        """What is due in a moment is done then, also if it has been done by a clock that is ahead of ours: that one saw
        an event that rests, is closed, or is not repeated, and its schedule is gone."""
        now, named = self.desk.now(), {"guild_id": event.guild_id, "event_id": event.event_id}
        dues = (("resumed", "begin-event", event.event_start_at), ("reopened", "close-event", event.deadline_at))
        return [
            self.desk.soon.put_action(schedule_name(event.event_id, row), job, named | {"at": at.isoformat()}, at=at)
            for row, job, at in dues
            if at is not None and now < at < now + _A_WHILE
        ]

    async def retry(self, host: Host) -> Event:
        """Try again what Discord refused around an event; somebody has given the bot the permission."""
        event = host.event
        update = self._plain(event).keeping_version().remove(Event.troubles).remove(Event.delivery_error)
        return await self._apply(event, update, by=host.actor)

    # By the clock. Whoever fires these may fire twice, late, or for a time that has been moved since.

    async def begin(self, guild_id: str, event_id: str, planned: str) -> Event | None:
        """The start has come: close, and make the next one of a series. Returns the event, whose notices are to be
        closed; None where it has been moved, called off or deleted."""
        event = await self._at(guild_id, event_id)
        if event is None or event.event_start_at is None or event.event_start_at.isoformat() != planned:
            return None
        if event.cancelled_at is not None:
            return None
        if event.status is Status.OPEN:
            update = self._plain(event).set(Event.status, Status.CLOSED).when(Event.status == Status.OPEN)
            await self._apply_quietly(event, update.when(Event.event_start_at == event.event_start_at))
        else:  # closed before; that it has begun is yet to be shown
            await self.desk.transact(self.desk.settle_event(guild_id, event_id, SOON))
        await self._repeat(event)
        return event

    async def deadline(self, guild_id: str, event_id: str, planned: str) -> None:
        """The last moment to join has come."""
        event = await self._at(guild_id, event_id)
        if event is None or event.deadline_at is None or event.deadline_at.isoformat() != planned:
            return
        update = self._plain(event).set(Event.status, Status.CLOSED)
        update = update.when(Event.status == Status.OPEN, Event.deadline_at == event.deadline_at)
        await self._apply_quietly(event, update)

    async def _repeat(self, event: Event) -> None:
        """The next one of a series; made once, because the old one remembers it."""
        desk, fresh = self.desk, await next_of(self.desk, event)
        if fresh is None:
            return
        remember = self._plain(event).set(Event.next_event_id, fresh.event_id)
        same = Event.event_start_at == event.event_start_at  # or its new time has its own beginning
        remember = remember.when(goes_on(), Event.cancelled_at.absent(), same)
        try:
            await desk.transact(remember, events.create(fresh), desk.settle_event(fresh.guild_id, fresh.event_id, SOON))
        except TransactionFailed:
            return  # it has been made before, or is not to be
        desk.changed(event.guild_id)

    async def _at(self, guild_id: str, event_id: str) -> Event | None:
        try:
            return await self.desk.event(guild_id, event_id)
        except NoSuchEvent:
            return None

    # How an update is made

    def _editable(self, host: Host, version: int | None) -> Event:
        event = host.event
        if event.cancelled_at is not None:
            raise Cancelled()
        if has_started(event, self.desk.now()):
            raise Started()
        if version is not None and version != event.version:
            raise Changed()
        return event

    def _update(self, event: Event) -> Update[Event]:
        """One that is refused when the event was edited since it was read; joins do not count as edits.

        What Discord refused before is tried again with what the event says now."""
        found = events.update(event.guild_id, event.event_id).when(Event.version == event.version)
        return found.remove(Event.troubles)

    def _plain(self, event: Event) -> Update[Event]:
        return events.update(event.guild_id, event.event_id)

    async def _apply(
        self, event: Event, update: Update[Event], *further: Action[Any, Any], by: Actor | None = None
    ) -> Event:
        desk = self.desk
        try:
            await desk.transact(update, desk.settle_event(event.guild_id, event.event_id, SOON), *further, by=by)
        except TransactionFailed as failed:
            now = await desk.event(event.guild_id, event.event_id)
            if failed.failed(update) and now.version != event.version:
                raise Changed() from None
            if now.cancelled_at is not None:
                raise Cancelled() from None
            raise AlreadySo() from None
        desk.changed(event.guild_id)
        return await desk.event(event.guild_id, event.event_id)

    async def _apply_quietly(self, event: Event, update: Update[Event]) -> None:
        try:
            await self._apply(event, update)
        except (AlreadySo, Cancelled, Changed):
            pass  # somebody was quicker; what matters is that it is so

    async def trouble(self, guild_id: str, event_id: str, step: str, error: str) -> None:
        """Write down what Discord refused, where the organisers see it."""
        event = await self._at(guild_id, event_id)
        if event is None:
            return
        troubles = {**event.troubles, step: error[:200]}
        try:
            await self.desk.db.write(self._plain(event).keeping_version().set(Event.troubles, troubles))
        except ConditionFailed:
            return  # deleted meanwhile
        self.desk.changed(guild_id)

    async def scheduled(self, event: Event, wanted: dict[str, str]) -> None:
        """Remember which schedules are set, and under which name the reminder is."""
        update: Update[Event] = self._plain(event).keeping_version().set(Event.scheduled, wanted)
        name = schedule_name(event.event_id, "r")
        update = update.set(Event.event_remind_schedule_name, name if name in wanted else None)
        try:
            await self.desk.db.write(update)
        except ConditionFailed:
            pass  # deleted meanwhile


def _reminder(start: datetime | None, minutes_before: int, now: datetime) -> datetime | None:
    if start is None or minutes_before <= 0:
        return None
    remind_at = start - timedelta(minutes=minutes_before)
    return remind_at if remind_at > now else None


def _moved_reminder(event: Event, start: datetime | None, minutes_before: int, now: datetime) -> datetime | None:
    """As long before the new start as it was before the old one."""
    if event.event_remind_at is None or event.event_start_at is None or start is None:
        return _reminder(start, minutes_before, now)
    moved = start - (event.event_start_at - event.event_remind_at)
    return moved if moved > now else None


def _moved_further(event: Event, start: datetime | None, now: datetime) -> list[str]:
    """Further reminders, as long before the new start as they were before the old one."""
    before = event.event_start_at
    if before is None or start is None:
        return []
    times = [start - (before - datetime.fromisoformat(at)) for at in event.reminders]
    return [at.isoformat() for at in times if at > now]


def _with_details(event: Event, details: Details) -> str | None:
    """Details are of the whole series: what it keeps of one changed alone gets them too, as long before its start."""
    if event.series is None or event.event_start_at is None:
        return event.series
    values = orjson.loads(event.series)
    shift = datetime.fromisoformat(values["event_start_at"]) - event.event_start_at

    def shifted(at: datetime | None) -> str | None:
        return None if at is None else (at + shift).isoformat()

    values |= {"deadline_at": shifted(details.deadline), "event_remind_at": shifted(details.remind_at)}
    values |= {"event_end_at": shifted(details.end), "reminders": [shifted(at) for at in details.further]}
    return orjson.dumps(values).decode()


def _by_start(event: Event) -> tuple[str, str]:
    start = event.event_start_at
    return (start.isoformat() if start else "9999", uuid_of(event.event_id))
