"""Forms as Discord shows them, and what people write into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, tzinfo
from typing import Any

from sekkei.kit import dates
from sekkei_systems.days import JST
from sekkei_systems.eventbot.design import Event, Repeat, Template
from sekkei_systems.eventbot.refusals import BadDate, TooManyReminders
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import (
    BODY_MAX,
    DESCRIPTION_MAX,
    LOCATION_MAX,
    SHARED,
    TEXT_MAX,
    TITLE_MAX,
    Details,
    Draft,
    NewNotice,
    read_capacity,
)
from sekkei_systems.eventbot.rules.identifiers import custom_id
from sekkei_systems.eventbot.rules.zones import zone_label, zone_of
from sekkei_systems.eventbot.texts import Wording

Payload = dict[str, Any]
_SHORT, _PARAGRAPH = 1, 2
_OPTIONS_TEXT_MAX = 1000
_REMINDERS_MAX = 5
SHOWN = ("title", "capacity", "location", "description")
"""Of what is entered: with the start, five inputs, and a form of Discord has no more."""
_BETWEEN = re.compile(r"[,、，;；\n]+")


def _text(
    label: str,
    id: str,
    value: str = "",
    *,
    hint: str = "",
    required: bool = False,
    most: int = 100,
    style: int = _SHORT,
) -> Payload:
    field: Payload = {"type": 4, "custom_id": id, "style": style, "required": required, "max_length": most}
    if value:
        field["value"] = value[:most]
    found: Payload = {"type": 18, "label": label[:45], "component": field}
    if hint:
        found["description"] = hint[:100]
    return found


def _date(words: Wording, id: str, value: str) -> Payload:
    most = 200 if id == "remind" else 60
    return _text(words(f"bot.f-{id}"), id, value, hint=words(f"bot.f-{id}-hint"), most=most)


def _choice(label: str, id: str, options: list[tuple[str, str]], chosen: str) -> Payload:
    listed = [
        {"label": text, "value": value, **({"default": True} if value == chosen else {})} for value, text in options
    ]
    return {"type": 18, "label": label[:45], "component": {"type": 3, "custom_id": id, "options": listed}}


def _modal(title: str, id: str, *components: Payload) -> Payload:
    return {"title": title[:45], "custom_id": id, "components": list(components)}


def written(at: datetime | None, zone: tzinfo | None, until: datetime | None = None) -> str:
    """A time as the parser reads it back in that zone."""
    if at is None:
        return ""
    text = f"{at.astimezone(zone):%Y-%m-%d %H:%M}"
    if until is not None and (until - at).total_seconds() < 24 * 3600:
        text += f"-{until.astimezone(zone):%H:%M}"
    return text


def written_reminders(event: Event, zone: tzinfo | None) -> str:
    """All of them, as they are read back."""
    return ", ".join(written(at, zone) for at in _known(event))


def create_modal(words: Wording, zone: str, template: Template | None = None, ping: str = "") -> Payload:
    """The template and the role to ring go along: they do not fit into the form."""
    values = drafts.values_of(template)
    unseen = template is not None and (template.options or any(values[name] for name in values if name not in SHOWN))
    return _modal(
        words("bot.modal-create"),
        custom_id("create", template.template_id if template and unseen else "", ping),
        *_event_fields(words, zone, "", values),
    )


def edit_one_modal(event: Event, words: Wording, zone: str) -> Payload:
    """For this one of a series alone."""
    return edit_modal(event, words, zone, "editone")


def edit_modal(event: Event, words: Wording, zone: str, verb: str = "edit") -> Payload:
    """The version goes along, so that of two who edit at once the second is told."""
    return _modal(
        words("bot.modal-edit"),
        custom_id(verb, event.event_id, event.version),
        *_event_fields(
            words, zone, written(event.event_start_at, zone_of(zone), event.event_end_at), drafts.values_of(event)
        ),
    )


def _event_fields(words: Wording, zone: str, start: str, values: Mapping[str, str]) -> list[Payload]:
    title, capacity, location, description = (values[name] for name in SHOWN)
    return [
        _text(words("bot.f-title"), "title", title, required=True, most=TITLE_MAX),
        _text(words("bot.f-start", zone=zone_label(zone)), "start", start, hint=words("bot.f-start-hint"), most=60),
        _text(words("bot.f-capacity"), "capacity", capacity, most=6),
        _text(words("bot.f-location"), "location", location, most=LOCATION_MAX),
        _text(words("bot.f-description"), "description", description, most=DESCRIPTION_MAX, style=_PARAGRAPH),
    ]


def details_modal(event: Event, words: Wording, zone: str) -> Payload:
    here = zone_of(zone)
    repeats = [(value, words(f"repeat.{value}")) for value in ("none", *(one.value for one in Repeat))]
    waiting = [("yes", words("bot.f-waiting-yes")), ("no", words("bot.f-waiting-no"))]
    return _modal(
        words("bot.modal-details"),
        custom_id("details", event.event_id, event.version),
        _date(words, "deadline", written(event.deadline_at, here)),
        _date(words, "remind", written_reminders(event, here)),
        _date(words, "end", written(event.event_end_at, here)),
        _choice(words("bot.f-repeat"), "repeat", repeats, event.repeat.value if event.repeat else "none"),
        _choice(words("bot.f-waiting"), "waiting", waiting, "yes" if event.waiting_list else "no"),
    )


def options_modal(event: Event, words: Wording, zone: str) -> Payload:
    return _modal(
        words("bot.modal-options"),
        custom_id("options", event.event_id, event.version),
        _text(
            words("bot.f-options"),
            "options",
            "\n".join(drafts.option_lines(event.options)),
            hint=words("bot.f-options-hint"),
            most=_OPTIONS_TEXT_MAX,
            style=_PARAGRAPH,
        ),
    )


def notice_modal(event: Event, words: Wording, zone: str) -> Payload:
    return _modal(
        words("bot.modal-notice"),
        custom_id("newnotice", event.event_id),
        _text(words("bot.f-title"), "title", required=True, most=100),
        _text(words("bot.f-body"), "body", required=True, most=BODY_MAX, style=_PARAGRAPH),
        _text(words("bot.f-notice-remind"), "remind", hint=words("bot.f-deadline-hint"), most=60),
    )


def tell_modal(event: Event, words: Wording, zone: str) -> Payload:
    text = _text(words("bot.f-tell"), "text", required=True, most=TEXT_MAX, style=_PARAGRAPH)
    listed = [
        ("", words("bot.everyone-joined")),
        *((id, one.name) for id, one in drafts.ordered_options(event.options)),
    ]
    audience = [(id or "all", name) for id, name in listed]
    further = [_choice(words("bot.f-audience"), "audience", audience, "all")] if event.options else []
    return _modal(words("bot.modal-tell"), custom_id("tell", event.event_id), text, *further)


def template_modal(event: Event, words: Wording, zone: str) -> Payload:
    return _modal(
        words("bot.modal-template"),
        custom_id("template", event.event_id),
        _text(words("bot.f-name"), "name", event.title, required=True, most=80),
    )


def refilled(modal: Payload, values: Mapping[str, str]) -> Payload:
    """The same form with what somebody had typed before."""
    for label in modal["components"]:
        field = label["component"]
        value = values.get(field["custom_id"])
        if value is None:
            continue
        if field["type"] == 4:
            field["value"] = value[: field["max_length"]]
        else:
            for option in field["options"]:
                option.pop("default", None)
                if option["value"] == value:
                    option["default"] = True
    return modal


# What comes back

Values = Mapping[str, str]


def read_values(data: Mapping[str, Any]) -> dict[str, str]:
    """Of a submitted modal, in today's shape (labels) or the old one (rows)."""
    found: dict[str, str] = {}
    for outer in _objects(data.get("components")):
        inner = outer.get("component")
        for field in _objects([inner] if inner else outer.get("components")):
            if not isinstance(field.get("custom_id"), str):
                continue
            values = field.get("values")
            value = values[0] if isinstance(values, list) and values else field.get("value")
            found[field["custom_id"]] = value if isinstance(value, str) else ""
    return found


def _objects(value: object) -> list[dict[str, Any]]:
    """What is of no such shape did not come from a form of ours."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def read_draft(values: Values, now: datetime) -> Draft:
    """Read what was asked for; the rest stays UNSET."""
    entered: dict[str, Any] = {name: values[name] for name in SHARED if name in values}
    if "capacity" in entered:
        entered["capacity"] = read_capacity(entered["capacity"])
    if "start" in values:
        start = values["start"].strip()
        with _refusing("start"):
            period = dates.read_period(start, now) if start else None
        begins, ends = (period.start, period.end) if period else (None, None)
        entered |= {"start": begins and begins.astimezone(JST), "end": ends and ends.astimezone(JST)}
    return Draft(**entered, options=tuple(drafts.read_options(values.get("options", ""))))


def read_details(values: Values, event: Event, now: datetime) -> Details:
    start = event.event_start_at

    def before(name: str, current: datetime | None) -> datetime | None:
        text = values.get(name, "").strip()
        if not text or text == written(current, now.tzinfo):
            return current if text else None
        return _moment(text, now, start, name)

    reminders = _reminders(values.get("remind", ""), event, now)
    end_text = values.get("end", "").strip()
    end = event.event_end_at
    if end_text != written(end, now.tzinfo):
        with _refusing("end"):
            end = dates.read_end(end_text, start, now).astimezone(JST) if end_text and start else None
    repeat = values.get("repeat", "none")
    return Details(
        deadline=before("deadline", event.deadline_at),
        remind_at=reminders[0] if reminders else None,
        further=tuple(reminders[1:]),
        end=end,
        repeat=Repeat(repeat) if repeat in {one.value for one in Repeat} else None,
        waiting_list=values.get("waiting", "yes") != "no",
    )


def _reminders(text: str, event: Event, now: datetime) -> list[datetime]:
    """Several, with commas between them; the earliest first."""
    if text.strip() == written_reminders(event, now.tzinfo):
        return _known(event)
    parts = [part.strip() for part in _BETWEEN.split(text) if part.strip()]
    if len(parts) > _REMINDERS_MAX:
        raise TooManyReminders(field="remind", most=_REMINDERS_MAX)
    start = event.event_start_at
    known = {written(at, now.tzinfo): at for at in _known(event)}
    found = {known.get(part) or _moment(part, now, start, "remind") for part in parts}
    return sorted(found)


def _known(event: Event) -> list[datetime]:
    """Times that may have passed stay as they are."""
    further = [datetime.fromisoformat(at) for at in event.reminders]
    return [event.event_remind_at, *further] if event.event_remind_at else further


def read_notice(values: Values, event: Event, now: datetime) -> NewNotice:
    text = values.get("remind", "").strip()
    remind_at = _moment(text, now, event.event_start_at, "remind") if text else None
    return NewNotice(values.get("title", ""), values.get("body", ""), remind_at)


def _moment(text: str, now: datetime, start: datetime | None, field: str) -> datetime:
    """Moments are stored in Japan's time."""
    with _refusing(field):
        return dates.read_moment(text, now, start).astimezone(JST)


@contextmanager
def _refusing(field: str) -> Iterator[None]:
    try:
        yield
    except dates.Unread as wrong:
        raise BadDate(wrong.why, field=field, **wrong.values) from None
