"""Events and notices as Discord messages. Pure: views go in, payloads come out, within Discord's limits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sekkei_systems.eventbot.design import Event, Member, Notice, Reply, Status
from sekkei_systems.eventbot.rules.identifiers import custom_id
from sekkei_systems.eventbot.rules.limits import EPHEMERAL
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import NOBODY, mention
from sekkei_systems.eventbot.rules.troubles import sentences
from sekkei_systems.eventbot.rules.views import EventView, NoticeView, has_started, is_joinable
from sekkei_systems.eventbot.texts import Wording

Payload = dict[str, Any]
GREEN, AMBER, GREY, RED, BLUE = 0x3BA55D, 0xFAA61A, 0x747F8D, 0xED4245, 0x5865F2
PRIMARY, SECONDARY, SUCCESS, DANGER, LINK = 1, 2, 3, 4, 5
NAMES_SHOWN = 30
"""In the recruiting message; all of them are a button away."""
PEOPLE_PER_PAGE = 40
NOTICES_PER_PAGE = 4
EVENTS_PER_PAGE = 10


def button(label: str, id: str, style: int = SECONDARY, *, disabled: bool = False) -> Payload:
    found: Payload = {"type": 2, "style": style, "label": label[:80], "custom_id": id}
    return {**found, "disabled": True} if disabled else found


def link(label: str, url: str) -> Payload:
    return {"type": 2, "style": LINK, "label": label[:80], "url": url}


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


def names(people: Sequence[Member | Reply], words: Wording, shown: int = NAMES_SHOWN, numbered: bool = False) -> str:
    """Mentions, in order, that ring nobody and always show the current name."""
    if not people:
        return words("bot.nobody")
    lines = [
        f"{place}. {mention(one.user_id)}" if numbered else mention(one.user_id)
        for place, one in enumerate(people[:shown], 1)
    ]
    text = ("\n" if numbered else " ").join(lines)
    hidden = len(people) - shown
    return f"{text}\n{words('bot.more', n=hidden)}" if hidden > 0 else text


# An event


def event_state(view: EventView, now: datetime) -> tuple[str, int]:
    """Which word stands before the title, and the colour."""
    event = view.event
    if event.cancelled_at is not None:
        return "cancelled", RED
    if has_started(event, now):
        return "started", GREY
    if not is_joinable(event, now):
        return "closed", GREY
    return ("full", AMBER) if view.full else ("", GREEN)


def event_message(view: EventView, now: datetime, words: Wording) -> Payload:
    """The recruiting message: what, when, who, and the buttons."""
    event = view.event
    state, colour = event_state(view, now)
    embed: Payload = {
        "title": f"{words.find(f'bot.{state}') if state else ''}{event.title}"[:256],
        "color": colour,
        "fields": list(_fields(view, words)),
        "footer": {"text": words("bot.host", name=event.created_by_name)[:2048]},
    }
    if event.description:
        embed["description"] = event.description[:2000]
    return {"content": "", "embeds": [embed], "components": _buttons(view, now, words), "allowed_mentions": NOBODY}


def _fields(view: EventView, words: Wording) -> list[Payload]:
    event = view.event
    when = words("bot.undecided") if event.event_start_at is None else moment(event.event_start_at)
    if event.event_start_at is not None and event.event_end_at is not None:
        when += f" 〜 <t:{int(event.event_end_at.timestamp())}:t>"
    if event.repeat is not None:
        when += "\n" + words("bot.repeats", repeat=words.find(f"repeat.{event.repeat.value}"))
    fields: list[Payload] = [{"name": words("bot.when"), "value": when}]
    if event.location:
        fields.append({"name": words("bot.where"), "value": event.location[:1024], "inline": True})
    if event.deadline_at is not None:
        fields.append({"name": words("bot.deadline"), "value": moment(event.deadline_at), "inline": True})
    if event.thread_id is not None:
        fields.append({"name": words("bot.thread"), "value": f"<#{event.thread_id}>", "inline": True})
    going = f"{len(view.members)}" + (f"/{event.capacity}" if event.capacity is not None else "")
    fields.append({"name": words("bot.going", count=going), "value": names(view.members, words, numbered=True)})
    for key, people in (("waiting", view.waiting), ("maybe-list", view.maybe), ("no-list", view.no)):
        if people:
            value = names(people, words, numbered=key == "waiting")
            fields.append({"name": words.find(f"bot.{key}", count=len(people)), "value": value, "inline": True})
    return fields


def _buttons(view: EventView, now: datetime, words: Wording) -> list[Payload]:
    event = view.event
    shut = not is_joinable(event, now)
    over = event.cancelled_at is not None or has_started(event, now)
    queueing = view.full or bool(view.waiting)
    label = words("bot.wait") if queueing and event.waiting_list else words("bot.join")
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
    further = row(
        button(words("bot.members"), custom_id("members", event.event_id, 0)),
        button(words("bot.notices"), custom_id("notices", event.event_id, 0)),
        button(words("bot.panel"), custom_id("panel", event.event_id)),
    )
    return [answers, further]


def panel_message(view: EventView, now: datetime, words: Wording, said: str = "") -> Payload:
    """What an organiser can do with an event; only they see it."""
    event = view.event
    id = event.event_id
    over = event.cancelled_at is not None or has_started(event, now)
    opening = event.status is Status.OPEN
    verb = "close" if opening else "reopen"
    toggle = button(words.find(f"bot.{verb}"), custom_id(verb, id), disabled=over)
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
        lines.append(words("bot.delivery-error", error=event.delivery_error))
    lines += [f"⚠️ {words.find(f'bot.trouble-{key}')}" for key, _ in sentences(event.troubles)]
    text = "\n".join(line for line in lines if line)
    third = [button(words("bot.delete"), custom_id("delete", id), DANGER)]
    if event.troubles:
        third.insert(0, button(words("bot.retry-steps"), custom_id("again", id), PRIMARY))
    return private(text, components=[first, second, row(*third)])


def sure_message(text: str, *yes: tuple[str, str]) -> Payload:
    """One more question before something that cannot be undone: labels and ids of what can be done."""
    return private(text, components=[row(*(button(label, id, DANGER) for label, id in yes))])


def pages_of(count: int, size: int) -> int:
    return max(1, -(-count // size))


def _turning(verb: str, id: str, page: int, pages: int, words: Wording) -> list[Payload]:
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
    pages = pages_of(len(people), PEOPLE_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    first = page * PEOPLE_PER_PAGE
    shown = people[first : first + PEOPLE_PER_PAGE]
    lines = [f"{place}. {mention(one.user_id)}" for place, one in enumerate(shown, first + 1)] or [words("bot.nobody")]
    embed: Payload = {"description": "\n".join(lines), "color": BLUE}
    if page == 0:
        extra = (("waiting", view.waiting), ("maybe-list", view.maybe), ("no-list", view.no))
        embed["fields"] = [
            {"name": words.find(f"bot.{key}", count=len(found)), "value": names(found, words, 20)}
            for key, found in extra
            if found
        ]
    head = words("bot.members-head", title=escaped(view.event.title), n=len(people))
    turning = _turning("members", view.event.event_id, page, pages, words)
    return private(head, embeds=[embed], components=turning)


def events_message(listed: Sequence[Event], page: int, head: str, verb: str, words: Wording) -> Payload:
    """Events as a list with links to their messages."""
    pages = pages_of(len(listed), EVENTS_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    lines = []
    for event in listed[page * EVENTS_PER_PAGE : (page + 1) * EVENTS_PER_PAGE]:
        title = escaped(event.title)
        if event.recruit_channel_id and event.recruit_message_id:
            title = f"[{title}]({message_url(event.guild_id, event.recruit_channel_id, event.recruit_message_id)})"
        when = words("bot.undecided") if event.event_start_at is None else moment(event.event_start_at)
        places = f"{event.member_count}" + (f"/{event.capacity}" if event.capacity is not None else "")
        lines.append(f"**{title}**\n{when} · {words('bot.going', count=places)}")
    embed = {"description": "\n\n".join(lines), "color": BLUE}
    return private(head, embeds=[embed], components=_turning(verb, "", page, pages, words))


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
        "color": GREY if closed else GREEN if total and done >= total else BLUE,
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
    pages = pages_of(len(people), PEOPLE_PER_PAGE)
    page = min(max(page, 0), pages - 1)
    shown = people[page * PEOPLE_PER_PAGE : (page + 1) * PEOPLE_PER_PAGE]
    embed = {
        "title": view.notice.title[:256],
        "description": "\n".join(mention(one.user_id) for one in shown),
        "color": AMBER,
    }
    head = words("bot.unconfirmed-head", n=len(people), m=len(view.members))
    turning = _turning("unacked", view.notice.notice_id, page, pages, words)
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
    turning = _turning("notices", event.event_id, page, pages, words)
    return private(head, embeds=[{"color": BLUE, "fields": fields}], components=[*rows, *turning])


def _listed_notice(event: Event, notice: Notice, done: int, words: Wording) -> Payload:
    marks = ("🔒 " if notice.status is Status.CLOSED else "🟢 ") + ("🙈 " if notice.is_hidden else "")
    progress = words("bot.confirmed", n=done, m=event.member_count)
    body = escaped(notice.body if len(notice.body) <= 120 else notice.body[:119] + "…")
    value = f"{body}\n<t:{int(notice.created_at.timestamp())}:f> · {progress}"
    if notice.delivery_error:
        value += "\n" + words("bot.delivery-error", error=notice.delivery_error)
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
