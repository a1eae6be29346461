"""Events and notices as Discord messages. Pure: views go in, payloads come out, within Discord's limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sekkei_systems.eventbot.design import Event, Member, Notice, Reply, SignUpOption, Status
from sekkei_systems.eventbot.rules.drafts import ordered_options
from sekkei_systems.eventbot.rules.identifiers import custom_id
from sekkei_systems.eventbot.rules.markdown import EPHEMERAL, NOBODY, emoji_on_button, escaped, mention, ping_text
from sekkei_systems.eventbot.rules.views import EventView, NoticeView, has_started, is_full, is_joinable
from sekkei_systems.eventbot.texts import Wording

# What Discord refused around an event, as a sentence for the people who can mend it.


STEPS = ("thread", "mirror", "role", "reminder")
KNOWN = {
    "thread": {50001: "thread-permission", 50013: "thread-permission", 50024: "thread-place", 10008: "thread-message"},
    "mirror": {50001: "mirror-permission", 50013: "mirror-permission", 10070: "mirror-deleted", 30038: "mirror-many",
               180000: "mirror-deleted"},
    "role": {10011: "role-deleted", 50001: "role-permission", 50013: "role-permission", -1: "role-powers",
             -2: "role-raised", -3: "role-above-bot"},
    "reminder": {10003: "reminder-thread", 50001: "reminder-thread", 50013: "reminder-thread",
                 50083: "reminder-thread", 160005: "reminder-thread"},
}  # fmt: skip
UNDELIVERED = {
    10008: "lost", 50005: "lost", 50001: "permission", 50013: "permission", 10003: "channel", 10004: "server",
    50035: "form", 50083: "thread", 160005: "thread",
}  # fmt: skip
_CODE = re.compile(r"\((-?\d+)\)")


def code_of(error: str) -> int:
    """Discord's own code within what was written down."""
    found = _CODE.search(error)
    return int(found[1]) if found else 0


def sentences(troubles: Mapping[str, str]) -> list[tuple[str, str]]:
    """The key of each sentence, and the error behind it; in the order of the steps."""
    return [
        (KNOWN[step].get(code_of(troubles[step]), f"{step}-other"), troubles[step])
        for step in STEPS
        if step in troubles
    ]


def why(error: str | None) -> str:
    """The key of the sentence that says why a message could not be posted or changed."""
    return f"bot.undelivered-{UNDELIVERED.get(code_of(error or ''), 'other')}"


Payload = dict[str, Any]
_GREEN, _AMBER, _GREY, _RED, _BLUE = 0x3BA55D, 0xFAA61A, 0x747F8D, 0xED4245, 0x5865F2
PRIMARY, _SECONDARY, SUCCESS, DANGER, _LINK = 1, 2, 3, 4, 5
_NAMES_SHOWN = 30
"""In the recruiting message; all of them are a button away."""
_PEOPLE_PER_PAGE = 40
NOTICES_PER_PAGE = 4
_WAITING_SHOWN = 8
"""With the name of what they wait for."""
_EVENTS_PER_PAGE = 10


def button(label: str, id: str, style: int = _SECONDARY, *, disabled: bool = False) -> Payload:
    found: Payload = {"type": 2, "style": style, "label": label[:80], "custom_id": id}
    return {**found, "disabled": True} if disabled else found


def link(label: str, url: str) -> Payload:
    return {"type": 2, "style": _LINK, "label": label[:80], "url": url}


def row(*components: Payload) -> Payload:
    return {"type": 1, "components": list(components)}


def private(text: str, **more: Any) -> Payload:
    """A message that only one person sees."""
    return {"content": text[:2000], "flags": EPHEMERAL, "allowed_mentions": NOBODY, **more}


def message_url(guild_id: str, channel_id: str, message_id: str) -> str:
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def moment(at: datetime) -> str:
    """A time that every reader sees in their own zone, and how far off it is."""
    unix = int(at.timestamp())
    return f"<t:{unix}:F>（<t:{unix}:R>）"


def named(one: Member | Reply) -> str:
    return f"{mention(one.user_id)} ⏰" if isinstance(one, Member) and one.late else mention(one.user_id)


def names(people: Sequence[Member | Reply], words: Wording, shown: int = _NAMES_SHOWN, numbered: bool = False) -> str:
    """Mentions, in order, that ring nobody and always show the current name."""
    if not people:
        return words("bot.nobody")
    lines = [f"{place}. {named(one)}" if numbered else named(one) for place, one in enumerate(people[:shown], 1)]
    text = ("\n" if numbered else " ").join(lines)
    hidden = len(people) - shown
    return f"{text}\n{words('bot.more', n=hidden)}" if hidden > 0 else text


# An event


def event_state(view: EventView, now: datetime) -> tuple[str, int]:
    """Which word stands before the title, and the colour."""
    event = view.event
    if event.cancelled_at is not None:
        return "cancelled", _RED
    if has_started(event, now):
        return "started", _GREY
    if not is_joinable(event, now):
        return "closed", _GREY
    return ("full", _AMBER) if view.full else ("", _GREEN)


def event_message(view: EventView, now: datetime, words: Wording) -> Payload:
    """The recruiting message: what, when, who, and the buttons."""
    event = view.event
    state, colour = event_state(view, now)
    embed: Payload = {
        "title": f"{words(f'bot.{state}') if state else ''}{event.title}"[:256],
        "color": colour,
        "fields": list(_fields(view, words)),
        "footer": {"text": words("bot.host", name=event.created_by_name)[:2048]},
    }
    if event.description:
        embed["description"] = event.description[:2000]
    buttons = _buttons(view, now, words)
    return {"content": ping_text(event), "embeds": [embed], "components": buttons, "allowed_mentions": NOBODY}


def _fields(view: EventView, words: Wording) -> list[Payload]:
    event = view.event
    when = words("bot.undecided") if event.event_start_at is None else moment(event.event_start_at)
    if event.event_start_at is not None and event.event_end_at is not None:
        when += f" 〜 <t:{int(event.event_end_at.timestamp())}:t>"
    if event.repeat is not None:
        when += "\n" + words("bot.repeats", repeat=words(f"repeat.{event.repeat.value}"))
        when += words("bot.paused") if event.repeat_paused else ""
    fields: list[Payload] = [{"name": words("bot.when"), "value": when}]
    if event.location:
        fields.append({"name": words("bot.where"), "value": event.location[:1024], "inline": True})
    if event.deadline_at is not None:
        fields.append({"name": words("bot.deadline"), "value": moment(event.deadline_at), "inline": True})
    if event.thread_id is not None:
        fields.append({"name": words("bot.thread"), "value": f"<#{event.thread_id}>", "inline": True})
    going = f"{len(view.members)}" + (f"/{event.capacity}" if event.capacity is not None else "")
    if event.options:
        fields += _option_fields(view, words)
    else:
        fields.append({"name": words("bot.going", count=going), "value": names(view.members, words, numbered=True)})
    for key, people in (("waiting", view.waiting), ("maybe-list", view.maybe), ("no-list", view.no)):
        if people and not (key == "waiting" and event.options):
            value = names(people, words, 20 if event.options else _NAMES_SHOWN, numbered=key == "waiting")
            fields.append({"name": words(f"bot.{key}", count=len(people)), "value": value, "inline": True})
    return fields


def _buttons(view: EventView, now: datetime, words: Wording) -> list[Payload]:
    event = view.event
    shut = not is_joinable(event, now)
    over = event.cancelled_at is not None or has_started(event, now)
    queueing = view.full or bool(view.waiting)
    label = words("bot.wait") if queueing and event.waiting_list else words("bot.join")
    if event.options:
        return [*_option_rows(view, now, words), _further(event, words)]
    answers = row(
        button(
            label,
            custom_id("join", event.event_id),
            PRIMARY if queueing else SUCCESS,
            disabled=shut or (view.full and not event.waiting_list),
        ),
        button(words("bot.maybe"), custom_id("maybe", event.event_id), disabled=shut),
        button(words("bot.no"), custom_id("no", event.event_id), disabled=shut),
        button(words("bot.leave"), custom_id("leave", event.event_id), disabled=over),
    )
    return [answers, _further(event, words)]


def _further(event: Event, words: Wording) -> Payload:
    return row(
        button(words("bot.members"), custom_id("members", event.event_id, 0)),
        button(words("bot.notices"), custom_id("notices", event.event_id, 0)),
        button(words("bot.panel"), custom_id("panel", event.event_id)),
    )


# Sign-up options


def heading(option: SignUpOption) -> str:
    return f"{option.emoji} {escaped(option.name)}" if option.emoji else escaped(option.name)


def places(option: SignUpOption, count: int) -> str:
    return f"{count}/{option.capacity}" if option.capacity is not None else f"{count}"


def _option_fields(view: EventView, words: Wording) -> list[Payload]:
    """A column for each option; then whoever waits, and for what."""
    options = ordered_options(view.event.options)
    shown = max(3, _NAMES_SHOWN // len(options))
    fields = []
    for id, option in options:
        people = view.of_option(id)
        head = f"{heading(option)} {places(option, len(people))}"
        fields.append({"name": head, "value": names(people, words, shown, numbered=True), "inline": True})
    if rest := view.of_option(None):
        fields.append({"name": words("bot.unsorted", count=len(rest)), "value": names(rest, words, shown)})
    if view.waiting:
        named = dict(options)
        lines = [
            f"{place}. {mention(one.user_id)} · {heading(named[one.option_id])}" if one.option_id in named
            else f"{place}. {mention(one.user_id)}"
            for place, one in enumerate(view.waiting[:_WAITING_SHOWN], 1)
        ]  # fmt: skip
        if len(view.waiting) > _WAITING_SHOWN:
            lines.append(words("bot.more", n=len(view.waiting) - _WAITING_SHOWN))
        fields.append({"name": words("bot.waiting", count=len(view.waiting)), "value": "\n".join(lines)})
    return fields


def _option_buttons(view: EventView, verb: str, *, shut: bool = False) -> list[Payload]:
    """Rows of five, with how many places are taken."""
    event = view.event
    made = []
    for id, option in ordered_options(event.options):
        full = is_full(option)
        label = f"{option.name} {places(option, option.member_count)}"
        found = button(
            label,
            custom_id(verb, event.event_id, id),
            PRIMARY if full or option.waiting_count else _SECONDARY,
            disabled=shut or (full and not event.waiting_list),
        )
        made.append({**found, "emoji": emoji_on_button(option.emoji)} if option.emoji else found)
    return [row(*made[at : at + 5]) for at in range(0, len(made), 5)]


def _option_rows(view: EventView, now: datetime, words: Wording) -> list[Payload]:
    event = view.event
    shut = not is_joinable(event, now)
    over = event.cancelled_at is not None or has_started(event, now)
    answers = row(
        button(words("bot.late"), custom_id("late", event.event_id), disabled=shut),
        button(words("bot.maybe"), custom_id("maybe", event.event_id), disabled=shut),
        button(words("bot.no"), custom_id("no", event.event_id), disabled=shut),
        button(words("bot.leave"), custom_id("leave", event.event_id), disabled=over),
    )
    return [*_option_buttons(view, "option", shut=shut), answers]


def choose_message(view: EventView, words: Wording, verb: str = "option") -> Payload:
    """For somebody who said that they come, but not how."""
    return private(words("bot.choose-option"), components=_option_buttons(view, verb))


def pages_of(count: int, size: int) -> int:
    return max(1, -(-count // size))


def turning_row(verb: str, id: str, page: int, pages: int, words: Wording) -> list[Payload]:
    if pages <= 1:
        return []
    return [
        row(
            button(words("bot.previous"), custom_id(verb, id, page - 1), disabled=page == 0),
            button(words("bot.page", page=page + 1, pages=pages), custom_id("nothing", id), disabled=True),
            button(words("bot.next"), custom_id(verb, id, page + 1), disabled=page + 1 >= pages),
        )
    ]


def members_message(view: EventView, page: int, words: Wording) -> Payload:
    """Everyone who takes part, in order of joining, forty at a time."""
    people = view.members
    pages = pages_of(len(people), _PEOPLE_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    first = page * _PEOPLE_PER_PAGE
    shown = people[first : first + _PEOPLE_PER_PAGE]
    lines = [f"{place}. {named(one)}{_way(view, one)}" for place, one in enumerate(shown, first + 1)]
    lines = lines or [words("bot.nobody")]
    embed: Payload = {"description": "\n".join(lines), "color": _BLUE}
    if page == 0:
        extra = (("waiting", view.waiting), ("maybe-list", view.maybe), ("no-list", view.no))
        embed["fields"] = [
            {"name": words(f"bot.{key}", count=len(found)), "value": names(found, words, 20)}
            for key, found in extra
            if found
        ]
    head = words("bot.members-head", title=escaped(view.event.title), n=len(people))
    turning = turning_row("members", view.event.event_id, page, pages, words)
    return private(head, embeds=[embed], components=turning)


def _way(view: EventView, one: Member) -> str:
    option = view.event.options.get(one.option_id or "")
    return f" · {heading(option)}" if option else ""


def events_message(listed: Sequence[Event], page: int, head: str, verb: str, words: Wording) -> Payload:
    """Events as a list with links to their messages."""
    pages = pages_of(len(listed), _EVENTS_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    lines = []
    for event in listed[page * _EVENTS_PER_PAGE : (page + 1) * _EVENTS_PER_PAGE]:
        title = escaped(event.title)
        if event.recruit_channel_id and event.recruit_message_id:
            title = f"[{title}]({message_url(event.guild_id, event.recruit_channel_id, event.recruit_message_id)})"
        when = words("bot.undecided") if event.event_start_at is None else moment(event.event_start_at)
        count = f"{event.member_count}" + (f"/{event.capacity}" if event.capacity is not None else "")
        came = event.attended_count
        shown = words("bot.attended", n=came, m=event.member_count) if came is not None else ""
        lines.append(f"**{title}**\n{when} · {shown or words('bot.going', count=count)}")
    embed = {"description": "\n\n".join(lines), "color": _BLUE}
    return private(head, embeds=[embed], components=turning_row(verb, "", page, pages, words))


def scheduled_event(event: Event) -> Payload:
    """The event as one of Discord's own: external, with a place and an end, which it demands."""
    assert event.event_start_at is not None
    end = event.event_end_at or event.event_start_at + timedelta(hours=2)
    about = {"description": event.description[:1000]} if event.description else {}
    return {
        **about,
        "name": event.title[:100],
        "privacy_level": 2,
        "entity_type": 3,
        "scheduled_start_time": event.event_start_at.isoformat(),
        "scheduled_end_time": end.isoformat(),
        "entity_metadata": {"location": (event.location or "Discord")[:100]},
    }


# A notice


def notice_message(view: NoticeView, words: Wording) -> Payload:
    """The notice with its confirm button and how many have pressed it."""
    notice = view.notice
    closed = notice.status is Status.CLOSED
    done, total = len(view.confirmed), len(view.members)
    embed: Payload = {
        "author": {"name": words("bot.notice-for", event=view.event.title)[:256]},
        "title": notice.title[:256],
        "description": notice.body[:4000],
        "color": _GREY if closed else _GREEN if total and done >= total else _BLUE,
        "fields": [{"name": words("bot.notice-progress"), "value": f"**{done} / {total}**\n{_bar(done, total)}"}],
        "footer": {"text": words("bot.notice-closed") if closed else notice.created_by_name[:2048]},
    }
    buttons = row(
        button(words("bot.confirm"), custom_id("ack", notice.notice_id), SUCCESS, disabled=closed),
        button(words("bot.unconfirmed"), custom_id("unacked", notice.notice_id, 0)),
    )
    return {"content": "", "embeds": [embed], "components": [buttons], "allowed_mentions": NOBODY}


def _bar(done: int, total: int) -> str:
    filled = round(10 * done / total) if total else 0
    return "▰" * filled + "▱" * (10 - filled)


def unconfirmed_message(view: NoticeView, page: int, words: Wording) -> Payload:
    """Members less those who confirmed."""
    people = view.unconfirmed
    if not people:
        return private(words("bot.all-confirmed"))
    pages = pages_of(len(people), _PEOPLE_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    shown = people[page * _PEOPLE_PER_PAGE : (page + 1) * _PEOPLE_PER_PAGE]
    embed = {
        "title": view.notice.title[:256],
        "description": "\n".join(mention(one.user_id) for one in shown),
        "color": _AMBER,
    }
    head = words("bot.unconfirmed-head", n=len(people), m=len(view.members))
    turning = turning_row("unacked", view.notice.notice_id, page, pages, words)
    return private(head, embeds=[embed], components=turning)


def notices_message(
    event: Event, listed: Sequence[Notice], counts: dict[str, int], page: int, organising: bool, words: Wording
) -> Payload:
    """Four notices a page, one row of buttons each, and a row to turn the page."""
    if not listed:
        return private(words("bot.no-notices"))
    pages = pages_of(len(listed), NOTICES_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    shown = listed[page * NOTICES_PER_PAGE : (page + 1) * NOTICES_PER_PAGE]
    fields, rows = [], []
    for notice in shown:
        fields.append(_listed_notice(event, notice, counts.get(notice.notice_id, 0), words))
        rows.append(row(*_notice_buttons(notice, organising, words)))
    head = words("bot.notices-head", title=escaped(event.title), n=len(listed))
    turning = turning_row("notices", event.event_id, page, pages, words)
    return private(head, embeds=[{"color": _BLUE, "fields": fields}], components=[*rows, *turning])


def _listed_notice(event: Event, notice: Notice, done: int, words: Wording) -> Payload:
    marks = ("🔒 " if notice.status is Status.CLOSED else "🟢 ") + ("🙈 " if notice.is_hidden else "")
    progress = words("bot.confirmed", n=done, m=event.member_count)
    body = escaped(notice.body if len(notice.body) <= 120 else notice.body[:119] + "…")
    value = f"{body}\n<t:{int(notice.created_at.timestamp())}:f> · {progress}"
    if notice.delivery_error:
        value += "\n" + words("bot.delivery-error", error=words(why(notice.delivery_error)))
    return {"name": f"{marks}{escaped(notice.title)}"[:256], "value": value[:1024]}


def _notice_buttons(notice: Notice, organising: bool, words: Wording) -> list[Payload]:
    id = notice.notice_id
    short = notice.title if len(notice.title) <= 20 else notice.title[:19] + "…"
    found = [button(f"{short}: {words('bot.unconfirmed')}", custom_id("unacked", id, 0))]
    if organising:
        verb, label = ("nshow", words("bot.show")) if notice.is_hidden else ("nhide", words("bot.hide"))
        found.append(button(label, custom_id(verb, id)))
        found.append(button(words("bot.nclose"), custom_id("nclose", id), disabled=notice.status is Status.CLOSED))
    if notice.notice_channel_id and notice.notice_message_id:
        url = message_url(notice.guild_id, notice.notice_channel_id, notice.notice_message_id)
        found.append(link(words("bot.to-notice"), url))
    return found
