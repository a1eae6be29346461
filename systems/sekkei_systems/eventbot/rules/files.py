"""What people download: a guild's events as iCalendar, members and confirmations as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sekkei.kit import sheets
from sekkei.kit.calendars import Entry, write
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.rules.identifiers import uuid_of
from sekkei_systems.eventbot.rules.views import EventView, NoticeView

_DEFAULT_LENGTH = timedelta(hours=2)


def feed(name: str, listed: Iterable[Event], now: datetime) -> bytes:
    """Every event with a start; one that was called off says so."""
    entries = (_entry(event, event.event_start_at) for event in listed if event.event_start_at is not None)
    return write("eventbot", name, entries, now)


def _entry(event: Event, start: datetime) -> Entry:
    message = f"{event.guild_id}/{event.recruit_channel_id}/{event.recruit_message_id}"
    is_posted = event.recruit_channel_id and event.recruit_message_id
    return Entry(
        uid=str(uuid_of(event.event_id)),
        summary=event.title,
        start=start,
        end=event.event_end_at or start + _DEFAULT_LENGTH,
        description=event.description or "",
        location=event.location or "",
        url=f"https://discord.com/channels/{message}" if is_posted else "",
        status="CANCELLED" if event.cancelled_at else "CONFIRMED",
        version=event.version,
    )


def members_csv(view: EventView) -> bytes:
    rows: list[Sequence[str]] = [("status", "position", "user_id", "name", "at", "option", "late", "attended")]
    chosen = {id: option.name for id, option in view.event.options.items()}
    for place, one in enumerate(view.members, 1):
        option, late = chosen.get(one.option_id or "", ""), "late" if one.late else ""
        came = "" if one.attended is None else "yes" if one.attended else "no"
        rows.append(("joined", str(place), one.user_id, one.username, one.joined_at.isoformat(), option, late, came))
    for status, people in (("waiting", view.waiting), ("maybe", view.maybe), ("no", view.no)):
        for place, said in enumerate(people, 1):
            at, option = said.asked_at.isoformat(timespec="seconds"), chosen.get(said.option_id or "", "")
            rows.append((status, str(place), said.user_id, said.username, at, option, "", ""))
    return sheets.write(rows)


def confirmations_csv(view: NoticeView) -> bytes:
    rows: list[Sequence[str]] = [("status", "user_id", "name", "at")]
    rows += [("confirmed", one.user_id, one.username, one.acked_at.isoformat()) for one in view.confirmed]
    rows += [("unconfirmed", one.user_id, one.username, "") for one in view.unconfirmed]
    return sheets.write(rows)
