"""What organisers see of an event in Discord, and nobody else."""

from __future__ import annotations

from datetime import datetime

from sekkei_systems.eventbot.design import Event, Member, Status
from sekkei_systems.eventbot.rules.drafts import ordered_options
from sekkei_systems.eventbot.rules.identifiers import custom_id
from sekkei_systems.eventbot.rules.markdown import emoji_on_button, escaped, mention
from sekkei_systems.eventbot.rules.render import (
    DANGER,
    PRIMARY,
    SUCCESS,
    Payload,
    button,
    pages_of,
    places,
    private,
    row,
    sentences,
    turning_row,
    why,
)
from sekkei_systems.eventbot.rules.views import EventView, has_started
from sekkei_systems.eventbot.texts import Wording

_STRING_SELECT, _USER_SELECT = 3, 5
_ATTENDANCE_PER_PAGE = 25


def panel_message(view: EventView, now: datetime, words: Wording, said: str = "") -> Payload:
    """What an organiser can do with an event; only they see it."""
    event = view.event
    id = event.event_id
    over = event.cancelled_at is not None or has_started(event, now)
    opening = event.status is Status.OPEN
    verb = "close" if opening else "reopen"
    toggle = button(words(f"bot.{verb}"), custom_id(verb, id), disabled=over)
    first = row(
        button(words("bot.edit"), custom_id("edit", id), PRIMARY, disabled=over),
        button(words("bot.details"), custom_id("details", id), disabled=over),
        toggle,
        button(words("bot.cancel"), custom_id("cancel", id), DANGER, disabled=over),
    )
    second = row(
        button(words("bot.new-notice"), custom_id("newnotice", id), SUCCESS, disabled=event.cancelled_at is not None),
        button(words("bot.notices"), custom_id("notices", id, 0)),
        button(words("bot.members"), custom_id("members", id, 0)),
        button(words("bot.save-template"), custom_id("template", id)),
        button(words("bot.repost"), custom_id("repost", id)),
    )
    lines = [said, words("bot.panel-head", title=escaped(event.title))]
    if event.delivery_error:
        lines.append(words("bot.delivery-error", error=f"{words(why(event.delivery_error))} {event.delivery_error}"))
    lines += [f"⚠️ {words(f'bot.trouble-{key}')}" for key, _ in sentences(event.troubles)]
    text = "\n".join(line for line in lines if line)
    third = row(
        button(words("bot.people"), custom_id("people", id), disabled=event.cancelled_at is not None),
        button(words("bot.tell"), custom_id("tell", id), disabled=event.cancelled_at is not None),
        button(words("bot.options"), custom_id("options", id), disabled=over),
        button(words("bot.attend"), custom_id("attend", id, 0), disabled=not has_started(event, now)),
    )
    fourth = [button(words("bot.delete"), custom_id("delete", id), DANGER)]
    if event.repeat is not None:
        resting = event.repeat_paused
        fourth.insert(0, button(words(f"bot.{'resume' if resting else 'pause'}"), _series(event)))
        fourth.insert(0, button(words("bot.edit-one"), custom_id("editone", id), disabled=over))
    if event.troubles:
        fourth.insert(0, button(words("bot.retry-steps"), custom_id("again", id), PRIMARY))
    return private(text, components=[first, second, third, row(*fourth)])


def _series(event: Event) -> str:
    return custom_id("resume" if event.repeat_paused else "pause", event.event_id)


def sure_message(text: str, *yes: tuple[str, str]) -> Payload:
    """One more question before something that cannot be undone: labels and ids of what can be done."""
    return private(text, components=[row(*(button(label, id, DANGER) for label, id in yes))])


# People, one by one


def people_message(event: Event, words: Wording) -> Payload:
    """Anybody on the server, from Discord's own list of names."""
    menu = {"type": _USER_SELECT, "custom_id": custom_id("person", event.event_id)}
    text = words("bot.people-head", title=escaped(event.title))
    return private(text, components=[row({**menu, "placeholder": words("bot.people-choose")})])


def person_message(view: EventView, user_id: str, words: Wording, said: str = "") -> Payload:
    """Where somebody stands, and what can be done about it."""
    event = view.event
    member = next((one for one in view.members if one.user_id == user_id), None)
    waiting = next((one for one in view.waiting if one.user_id == user_id), None)
    key = "bot.person-in" if member else "bot.person-waiting" if waiting else "bot.person-out"
    rows = []
    if event.options:
        current = member.option_id if member else waiting.option_id if waiting else None
        rows.append(row(_options(view, "pmove" if member else "pseatin", user_id, current, words)))
    if member is not None:
        rows.append(row(button(words("bot.person-remove"), custom_id("premove", event.event_id, user_id), DANGER)))
    elif waiting is not None or not event.options:
        rows.append(row(button(words("bot.person-seat"), custom_id("pseat", event.event_id, user_id), SUCCESS)))
    text = "\n".join(line for line in (said, words(key, mention=mention(user_id))) if line)
    return private(text, components=[*rows, *people_message(event, words)["components"]])


def _options(view: EventView, verb: str, user_id: str, current: str | None, words: Wording) -> Payload:
    listed = []
    for id, option in ordered_options(view.event.options):
        one: Payload = {"label": f"{option.name} {places(option, option.member_count)}", "value": id}
        one |= {"emoji": emoji_on_button(option.emoji)} if option.emoji else {}
        listed.append({**one, "default": True} if id == current else one)
    found = {"type": _STRING_SELECT, "custom_id": custom_id(verb, view.event.event_id, user_id), "options": listed}
    return {**found, "placeholder": words("bot.person-move")}


def attendance_message(view: EventView, page: int, words: Wording, said: str = "") -> Payload:
    """A menu of those who joined, twenty-five at a time; until somebody says otherwise, all came."""
    pages = pages_of(len(view.members), _ATTENDANCE_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    shown = attendance_page(view, page)
    if not shown:
        return private(words("bot.nobody"))
    fresh = view.event.attended_count is None
    listed = [
        {"label": one.username[:100] or "?", "value": one.user_id, "default": bool(one.attended) or fresh}
        for one in shown
    ]
    menu = {
        "type": _STRING_SELECT,
        "custom_id": custom_id("attended", view.event.event_id, page),
        "placeholder": words("bot.attend-choose"),
        "options": listed,
        "min_values": 0,
        "max_values": len(listed),
    }
    last = page * _ATTENDANCE_PER_PAGE + len(shown)
    head = words("bot.attend-head", title=escaped(view.event.title), n=last, m=len(view.members))
    turning = turning_row("attend", view.event.event_id, page, pages, words)
    return private("\n".join(line for line in (said, head) if line), components=[row(menu), *turning])


def attendance_page(view: EventView, page: int) -> tuple[Member, ...]:
    return view.members[page * _ATTENDANCE_PER_PAGE : (page + 1) * _ATTENDANCE_PER_PAGE]
