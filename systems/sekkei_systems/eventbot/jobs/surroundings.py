"""What surrounds an event in Discord: its thread, and Discord's own event. Each may be refused on its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson

from sekkei.design import ConditionFailed, Update
from sekkei_systems.eventbot.design import Event, events
from sekkei_systems.eventbot.ports.discord.errors import (
    FINISHED_EVENT,
    THREAD_EXISTS,
    UNKNOWN_SCHEDULED_EVENT,
    Refused,
)
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.views import has_started, is_over
from sekkei_systems.eventbot.service import Desk


class Surroundings:
    """Every method brings one thing in line with the event, gives back the event as stored, and may raise Refused."""

    def __init__(self, desk: Desk, rest: Rest) -> None:
        self._desk, self._rest = desk, rest

    async def thread(self, event: Event) -> Event:
        if not event.thread_wanted or event.thread_id is not None or is_over(event, self._desk.now()):
            return event
        if event.recruit_message_id is None or event.recruit_channel_id is None:
            return event
        try:
            id = await self._rest.start_thread(event.recruit_channel_id, event.recruit_message_id, event.title)
        except Refused as refused:
            if refused.code != THREAD_EXISTS:
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
        if has_started(event, self._desk.now()):
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
        id = await self._rest.make_scheduled_event(event.guild_id, content)
        return await self._store(event, _made(event, id).set(Event.mirrored, mark))

    async def _found(self, event: Event) -> Event:
        """With the one whose answer was lost, if there is one; what it says may be older than the event. Discord knows
        no nonce here."""
        id = await self._find(event)
        return event if id is None else await self._store(event, _made(event, id))

    async def _find(self, event: Event) -> str | None:
        tried = event.mirror_tried_as
        if tried is None and event.event_start_at is not None:  # rows of before do not say
            tried = _called(render.scheduled_event(event))
        for one in await self._rest.scheduled_events(event.guild_id):
            if str(one.get("creator_id")) == self._rest.application_id and _called(one) == tried:
                return str(one["id"])
        return None

    async def _change(self, event: Event, content: dict[str, Any]) -> bool:
        """False where it is over, and Discord keeps it as it was: an event that was moved has another one to come."""
        assert event.scheduled_event_id is not None
        changes = {"description": None, **content}
        try:
            await self._rest.edit_scheduled_event(event.guild_id, event.scheduled_event_id, changes)
        except Refused as refused:
            if refused.code == FINISHED_EVENT:
                return False
            if refused.code == UNKNOWN_SCHEDULED_EVENT:  # somebody deleted it by hand
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
            await self._rest.delete_scheduled_event(event.guild_id, id)
        except Refused as refused:
            if refused.code not in (UNKNOWN_SCHEDULED_EVENT, FINISHED_EVENT):  # else it is gone, or over
                raise
        return await self._store(event, _unknown(event).remove(Event.mirror_tried).remove(Event.mirror_tried_as))

    async def _store(self, event: Event, update: Update[Event]) -> Event:
        try:
            return await self._desk.db.write(update)
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
