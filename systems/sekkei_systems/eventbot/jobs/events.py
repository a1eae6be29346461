"""Bringing Discord in line with an event: schedules, message, thread, Discord's own event, role. Again is always fine.

Every change leaves a row that says "settle this", in its own transaction, so a crash between storing and posting loses
nothing. One worker at a time settles an event (a lease on the item, renewed however long Discord takes), and it reads
the item after taking the lease, so a stale picture can never be the last one. Every step stands alone: what Discord
refuses one of them is written down under its name and keeps no other from being done.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

import orjson

from sekkei.design import Condition, ConditionFailed, Update
from sekkei.runtime.leases import LeaseLost, Leases
from sekkei.runtime.system import Payload
from sekkei_systems.eventbot.design import Event, GuildSettings, Status, events
from sekkei_systems.eventbot.jobs.roles import Roles
from sekkei_systems.eventbot.ports.discord.rest import LOST, Code, RateLimited, Refused, Rest, Unavailable
from sekkei_systems.eventbot.refusals import NoSuchEvent
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import nonce, schedule_name
from sekkei_systems.eventbot.rules.markdown import rung_by
from sekkei_systems.eventbot.rules.views import EventView, has_started, is_over, over_at
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.members import Queue, view_of_event
from sekkei_systems.eventbot.service.notices import Notices
from sekkei_systems.eventbot.texts import wording

# What surrounds an event in Discord: its thread, and Discord's own event. Each may be refused on its own.


@dataclass
class Surroundings:
    """Every method brings one thing in line with the event, gives back the event as stored, and may raise Refused."""

    desk: Desk
    rest: Rest

    async def thread(self, event: Event) -> Event:
        if not event.thread_wanted or event.thread_id is not None or is_over(event, self.desk.now()):
            return event
        if event.recruit_message_id is None or event.recruit_channel_id is None:
            return event
        try:
            id = await self.rest.start_thread(event.recruit_channel_id, event.recruit_message_id, event.title)
        except Refused as refused:
            if refused.code != Code.THREAD_EXISTS:
                raise
            id = event.recruit_message_id  # the answer was lost; a thread has the id of its message
        return await self._store(event, _plain(event).set(Event.thread_id, id))

    async def mirror(self, event: Event) -> Event:
        """Discord's own event: made, changed when something changed, gone when it is called off."""
        if event.cancelled_at is not None or event.event_start_at is None:
            return await self.unmirror(event)
        if not event.mirror_wanted:
            return event
        if event.scheduled_event_id is None and event.mirror_tried:
            event = await self._found(event)
        if has_started(event, self.desk.now()):
            return event  # Discord takes events of the future only
        content = render.scheduled_event(event)
        mark = _fingerprint(content)
        if event.scheduled_event_id is None:
            return await self._make(event, content, mark)
        if event.mirrored == mark:
            return event
        if await self._change(event, content):
            return await self._store(event, _plain(event).set(Event.mirrored, mark))
        event = await self._store(event, _unknown(event))
        return await self._make(event, content, mark)

    async def _make(self, event: Event, content: dict[str, Any], mark: str) -> Event:
        tried = _plain(event).set(Event.mirror_tried, True).set(Event.mirror_tried_as, _called(content))
        await self._store(event, tried)
        id = await self.rest.make_scheduled_event(event.guild_id, content)
        return await self._store(event, _made(event, id).set(Event.mirrored, mark))

    async def _found(self, event: Event) -> Event:
        """With the one whose answer was lost, if there is one; what it says may be older than the event. Discord knows
        no nonce here."""
        id = await self._find(event)
        return event if id is None else await self._store(event, _made(event, id))

    async def _find(self, event: Event) -> str | None:
        for one in await self.rest.scheduled_events(event.guild_id):
            if str(one.get("creator_id")) == self.rest.application_id and _called(one) == event.mirror_tried_as:
                return str(one["id"])
        return None

    async def _change(self, event: Event, content: dict[str, Any]) -> bool:
        """False where it is over, and Discord keeps it as it was: an event that was moved has another one to come."""
        assert event.scheduled_event_id is not None
        changes = {"description": None, **content}
        try:
            await self.rest.edit_scheduled_event(event.guild_id, event.scheduled_event_id, changes)
        except Refused as refused:
            if refused.code == Code.FINISHED_EVENT:
                return False
            if refused.code == Code.UNKNOWN_SCHEDULED_EVENT:  # somebody deleted it by hand
                await self._store(event, _unknown(event))
            raise
        return True

    async def unmirror(self, event: Event) -> Event:
        """Also one whose answer was lost when it was made."""
        id = event.scheduled_event_id
        if id is None and event.mirror_tried:
            id = await self._find(event)
        if id is None:
            return event
        try:
            await self.rest.delete_scheduled_event(event.guild_id, id)
        except Refused as refused:
            if refused.code not in (Code.UNKNOWN_SCHEDULED_EVENT, Code.FINISHED_EVENT):  # else it is gone, or over
                raise
        return await self._store(event, _unknown(event).remove(Event.mirror_tried).remove(Event.mirror_tried_as))

    async def _store(self, event: Event, update: Update[Event]) -> Event:
        try:
            return await self.desk.db.write(update)
        except ConditionFailed:
            return event  # deleted meanwhile


def _plain(event: Event) -> Update[Event]:
    return events.update(event.guild_id, event.event_id).keeping_version()


def _unknown(event: Event) -> Update[Event]:
    return _plain(event).remove(Event.scheduled_event_id).remove(Event.mirrored)


def _made(event: Event, id: str) -> Update[Event]:
    tried = _plain(event).remove(Event.mirror_tried).remove(Event.mirror_tried_as)
    return tried.set(Event.scheduled_event_id, id)


def _called(content: Mapping[str, Any]) -> str:
    """By what one of Discord's own events is known among the others."""
    return f"{int(datetime.fromisoformat(content['scheduled_start_time']).timestamp())} {content.get('name')}"


def _fingerprint(content: dict[str, Any]) -> str:
    return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


log = logging.getLogger("sekkei_systems.eventbot.jobs")

LEASE = timedelta(seconds=30)
OLD_EDITS_PAUSE = timedelta(seconds=60)
_A_MOMENT = timedelta(seconds=10)
"""By so much the clock of whoever says that something begins, or ends, may be ahead of the one here."""
_SCHEDULED = {"r": "remind-event", "s": "begin-event", "d": "close-event", "e": "end-event"}
"""What is done by the clock, by the letter at the end of its name: reminder (more of them r2, r3 …), start, deadline,
end."""
Step = Callable[["_Run"], Awaitable[None]]
T = TypeVar("T")


@dataclass(slots=True)
class _Run:
    """One round: the event as it is by now, and what came of its steps."""

    event: Event
    view: EventView
    settings: GuildSettings
    troubles: dict[str, str]
    again: list[timedelta] = field(default_factory=list)
    limited: set[str] = field(default_factory=set)
    """Steps that Discord wants later, and that come again."""
    failure: Exception | None = None


@dataclass
class EventSettling:
    """What the rows call."""

    desk: Desk
    events: Events
    queue: Queue
    notices: Notices
    rest: Rest
    roles: Roles
    around: Surroundings

    def __post_init__(self) -> None:
        self._leases = Leases(self.desk.db, self.desk.clock, Event.editing_until, Event.editing_by, LEASE)
        self._steps: dict[str, Step] = {"thread": self._thread, "mirror": self._mirror, "role": self._role}

    async def settle_event(self, payload: Payload) -> None:
        guild_id, event_id = str(payload["guild_id"]), str(payload["event_id"])
        try:
            await self.queue.move_up(guild_id, event_id)
            event = await self.take(guild_id, event_id)
        except NoSuchEvent:
            return
        if event is None:
            await self._again(guild_id, event_id, timedelta(seconds=1))
            return
        try:
            await self.keep(event, self._settle(event))
        except LeaseLost:
            await self._again(guild_id, event_id, timedelta(seconds=1))
        finally:
            self.desk.changed(guild_id)

    async def _settle(self, event: Event) -> None:
        await self._schedule(event)
        settings = await self.desk.settings(event.guild_id)
        run = _Run(event, await view_of_event(self.desk.db, event), settings, dict(event.troubles))
        await self._count_who_came(run)
        await self._try(run, "message", self._message)
        await self._try(run, "replaced", self._clear)
        for name, step in self._steps.items():
            if name not in run.troubles:
                await self._try(run, name, step)
        if run.troubles != event.troubles:
            await self._write(_plain(event).set(Event.troubles, run.troubles))
        if "message" not in run.limited:  # else they are drawn after it: they would take what is left of its rate
            for notice_id in await self.notices.open_ones(event):
                await self.desk.transact(self.desk.settle_notice(event.guild_id, notice_id))  # it counts the members
        run.again += self._in_a_moment(event)
        if run.again:
            await self._again(event.guild_id, event.event_id, min(run.again))
        if run.failure is not None:
            raise run.failure

    def _in_a_moment(self, event: Event) -> list[timedelta]:
        """Whoever told us that the event begins, or is over, may have been a little early: then it is looked at again
        when it is so by this clock."""
        now = self.desk.now()
        times = [at for at in (event.event_start_at, over_at(event)) if at is not None]
        return [at - now for at in times if now < at < now + _A_MOMENT]

    async def _try(self, run: _Run, name: str, step: Step) -> None:
        """One step, whose failure is its own: waited for, tried again, or written down for people to mend."""
        try:
            await step(run)
        except RateLimited as limited:
            run.limited.add(name)
            run.again.append(timedelta(seconds=limited.retry_after))
        except Unavailable as unavailable:
            run.failure = unavailable
        except Refused as refused:
            log.warning("Discord refused", extra={"step": name, "event_id": run.event.event_id, "reason": str(refused)})
            if refused.code == Code.TOO_MANY_OLD_EDITS:
                run.again.append(OLD_EDITS_PAUSE)
            elif name != "message":
                run.troubles[name] = str(refused)[:200]
            else:
                update = _plain(run.event).set(Event.delivery_error, str(refused)[:200])
                await self._write(update.when(_is_still(run.event)))

    async def _again(self, guild_id: str, event_id: str, delay: timedelta) -> None:
        delay = max(delay, timedelta(milliseconds=10))
        await self.desk.transact(self.desk.settle_event(guild_id, event_id, delay))

    async def _write(self, update: Update[Event]) -> None:
        try:
            await self.desk.db.write(update)
        except ConditionFailed:
            pass  # deleted meanwhile, or posted anew

    async def _count_who_came(self, run: _Run) -> None:
        """People are noted one by one, by several hosts perhaps, and may be removed afterwards; whoever settles last
        counts what is noted."""
        event, noted = run.event, [one.attended for one in run.view.members if one.attended is not None]
        before, came = event.attended_count, sum(noted)
        if before == came or (before is None and not noted):
            return
        as_read = Event.attended_count.absent() if before is None else Event.attended_count == before
        await self._write(_plain(event).set(Event.attended_count, came).when(as_read))

    # The lease

    async def take(self, guild_id: str, event_id: str) -> Event | None:
        """The event as it is once nobody else settles it; None while somebody does."""
        token = await self._leases.take(events.update(guild_id, event_id).keeping_version(), "settling")
        event = await self.desk.event(guild_id, event_id)
        return event if token is not None and event.editing_by == token else None

    async def keep(self, event: Event, work: Awaitable[T]) -> T:
        """Do what was taken for, and put it down. Raises LeaseLost, and stops, when another worker has it."""
        return await self._leases.hold(_plain(event), str(event.editing_by), work)

    # The steps

    async def _message(self, run: _Run) -> None:
        event = run.event
        if not event.recruit_channel_id or is_lost(event.delivery_error):
            return
        message = render.event_message(run.view, self.desk.now(), wording(run.settings.locale))
        update = _plain(event).remove(Event.delivery_error)
        if event.recruit_message_id is not None:
            await self.rest.edit(event.recruit_channel_id, event.recruit_message_id, message)
            if event.delivery_error is not None:
                await self._write(update)
            return
        await self._post(run, message)

    async def _post(self, run: _Run, message: render.Payload) -> None:
        """Discord remembers the nonce for some minutes: a post whose answer was lost is not posted twice. But then it
        gives back the older message, which is to be drawn anew."""
        event = run.event
        assert event.recruit_channel_id is not None
        if event.post_tried:
            run.again.append(timedelta(seconds=1))
        else:
            await self._write(_plain(event).set(Event.post_tried, True))
        message |= {"nonce": nonce(event.event_id, event.posts), "enforce_nonce": True}
        message["allowed_mentions"] = rung_by(event)
        posted = await self.rest.post(event.recruit_channel_id, message)
        update = _plain(event).remove(Event.delivery_error).remove(Event.post_tried)
        try:
            run.event = await self.desk.db.write(update.set(Event.recruit_message_id, posted))
        except ConditionFailed:  # deleted meanwhile: nobody else knows of the post
            await self.rest.delete(event.recruit_channel_id, posted)

    async def _clear(self, run: _Run) -> None:
        """What was posted before goes when there is another post."""
        event = run.event
        for id in sorted(event.replaced) if event.recruit_channel_id and event.recruit_message_id else ():
            await without_fail(self.rest.delete(str(event.recruit_channel_id), id))
            await self._write(_plain(event).discard(Event.replaced, {id}))

    async def _thread(self, run: _Run) -> None:
        before = run.event.thread_id
        run.event = await self.around.thread(run.event)
        if run.event.thread_id != before:
            run.again.append(timedelta(seconds=1))  # the message is to show it

    async def _mirror(self, run: _Run) -> None:
        run.event = await self.around.mirror(run.event)

    async def _role(self, run: _Run) -> None:
        if run.event.attendee_role_id is None:
            return
        over = is_over(run.event, self.desk.now())
        wanted = () if over else [member.user_id for member in run.view.members]
        if not await self.roles.settle(run.event, wanted):
            run.again.append(timedelta(seconds=1))

    # Schedules: those that are set are remembered with their time, so that only what changed is touched

    async def _schedule(self, event: Event) -> None:
        wanted = self._wanted(event, await self._is_to_begin(event))
        for name in event.scheduled.keys() - wanted.keys():
            await self.desk.schedules.delete(name)
        for name, at in wanted.items():
            if event.scheduled.get(name) != at:
                payload = {"guild_id": event.guild_id, "event_id": event.event_id, "at": at}
                await self.desk.schedules.put(
                    name, _SCHEDULED[name.rpartition("-")[2][0]], payload, at=datetime.fromisoformat(at)
                )
        if wanted != event.scheduled:
            await self.events.scheduled(event, wanted)

    async def _is_to_begin(self, event: Event) -> bool:
        """Also one whose start has passed, as long as it has not done all that it does."""
        if not has_started(event, self.desk.now()) or event.status is Status.OPEN:
            return True
        coming = event.repeat and not event.next_event_id and not event.repeat_paused
        return bool(coming or await self.notices.outlasting(event))

    def _wanted(self, event: Event, to_begin: bool) -> dict[str, str]:
        if event.cancelled_at is not None:
            return {}
        now = self.desk.now()
        times = {"d": event.deadline_at if event.status is Status.OPEN else None}
        times["r"] = event.event_remind_at if event.reminded_at is None else None
        if not has_started(event, now):
            left = [at for at in event.reminders if at not in event.reminded]
            times |= {f"r{at}": datetime.fromisoformat(one) for at, one in enumerate(left, 2)}
        times["s"] = event.event_start_at if to_begin else None
        if event.attendee_role_id is not None and not is_over(event, now):
            times["e"] = over_at(event)
        return {schedule_name(event.event_id, kind): at.isoformat() for kind, at in times.items() if at is not None}


def _is_still(event: Event) -> Condition[Event]:
    """The message is the one that was tried; what Discord says of it is not true of another."""
    id = event.recruit_message_id
    return Event.recruit_message_id.absent() if id is None else Event.recruit_message_id == id


async def without_fail(deletion: Awaitable[None]) -> None:
    """Of a message that is gone already, or that Discord will not have deleted: that must hold nothing else up."""
    with suppress(Refused):
        await deletion


def is_lost(error: str | None) -> bool:
    """What somebody deleted is not posted again unasked; what was merely refused is tried at each change."""
    return error is not None and any(f"({code})" in error for code in LOST)
