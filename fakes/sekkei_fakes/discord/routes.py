"""The routes of the local Discord, and what each of them refuses: codes as in Discord's documentation."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from sekkei.runtime import days
from sekkei_fakes.discord import limits, objects
from sekkei_fakes.discord.design import LocalMessage
from sekkei_fakes.discord.discord import LocalDiscord, No
from sekkei_systems.eventbot.ports.discord import permissions, rest
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.rules.markdown import EPHEMERAL

Answered = tuple[int, Any]
Handler = Callable[[LocalDiscord, re.Match[str], Any], Awaitable[Answered]]
ROUTES: list[tuple[str, re.Pattern[str], Handler]] = []
SCHEDULED_EVENTS_MAX = 100
EXTERNAL, GUILD_ONLY = 3, 2
COMPLETED, CANCELED = 3, 4


def route(method: str, path: str) -> Callable[[Handler], Handler]:
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))

    def declare(handler: Handler) -> Handler:
        ROUTES.append((method, pattern, handler))
        return handler

    return declare


def _checked(problems: list[str]) -> None:
    if problems:
        code = rest.Code.EMPTY_MESSAGE if problems == ["the message is empty"] else rest.Code.INVALID_FORM
        raise No(400, code, "Invalid Form Body: " + "; ".join(problems))


def _takes(discord: LocalDiscord, content: Mapping[str, Any], *, editing: bool = False) -> None:
    """A message within the limits, with emoji that the bot can use."""
    _checked(limits.problems_of_message(content, editing=editing))
    shown = [one for row in content.get("components") or () for one in row["components"]]
    emoji = [one.get("emoji") or {} for part in shown for one in (part, *part.get("options", ()))]
    if any("id" in one and one["id"] not in discord.server.emojis for one in emoji):
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body: emoji.id: Invalid emoji")


def _object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body")
    return body


# Who the bot is


@route("GET", "/users/@me")
async def me(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    return 200, objects.user(discord.server, discord.server.bot_id)


@route("GET", "/oauth2/applications/@me")
async def application(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    return 200, objects.application(discord.server, discord.application_id, discord.public_key, discord.endpoint)


# Messages


@route("GET", "/channels/{channel}")
async def channel(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.may(path["channel"], 0)
    thread = await discord.thing("thread", path["channel"])
    if thread is not None:
        return 200, objects.thread(discord.server, path["channel"], thread)
    direct = await discord.thing("direct", path["channel"])
    if direct is not None:
        return 200, objects.direct(discord.server, path["channel"], direct["recipient"])
    return 200, objects.channel(discord.server.channels[path["channel"]])


async def _public(discord: LocalDiscord, path: re.Match[str]) -> LocalMessage:
    """What only one person sees is in no channel."""
    found = await discord.message(path["channel"], path["message"])
    if found.seen_by is not None:
        raise No(404, rest.Code.UNKNOWN_MESSAGE, "Unknown Message")
    return found


@route("GET", "/channels/{channel}/messages/{message}")
async def message(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.may(path["channel"], permissions.Permission.READ_MESSAGE_HISTORY)
    return 200, objects.message(discord.server, await _public(discord, path))


@route("POST", "/channels/{channel}/messages")
async def post(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    content = _object(body)
    needed = permissions.Permission.SEND_MESSAGES | (permissions.Permission.EMBED_LINKS if content.get("embeds") else 0)
    await discord.may(path["channel"], needed)
    _takes(discord, content)
    await _unarchive(discord, path["channel"])
    direct = await discord.thing("direct", path["channel"])
    if direct:
        _reaches(discord, direct["recipient"])
    return 200, objects.message(discord.server, await discord.post(path["channel"], content))


def _reaches(discord: LocalDiscord, recipient: str) -> None:
    """A channel may be open to whoever left since, or was never here."""
    if not {recipient, discord.server.bot_id} <= discord.server.members.keys():
        raise No(403, rest.Code.NO_MUTUAL_GUILD, "Cannot send messages to this user due to having no mutual guilds")
    if recipient in discord.server.closed_to_bots:
        raise No(403, rest.Code.CANNOT_DM, "Cannot send messages to this user")


async def _unarchive(discord: LocalDiscord, channel_id: str) -> None:
    """A post wakes a thread up, unless it is locked."""
    thread = await discord.thing("thread", channel_id)
    if thread is None:
        return
    _unlocked(discord, thread)
    if thread["archived"]:
        await discord.keep("thread", channel_id, {**thread, "archived": False})


def _unlocked(discord: LocalDiscord, thread: Mapping[str, Any]) -> None:
    if thread["locked"] and not discord.server.bot_may(thread["parent_id"]) & permissions.Permission.MANAGE_THREADS:
        raise No(400, rest.Code.LOCKED_THREAD, "Thread is locked")


@route("PATCH", "/channels/{channel}/messages/{message}")
async def edit(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    content = _object(body)
    await discord.may(path["channel"], 0)
    message = await _public(discord, path)
    if message.author != "bot":
        raise No(403, rest.Code.NOT_OUR_MESSAGE, "Cannot edit a message authored by another user")
    thread = await discord.thing("thread", path["channel"])
    if thread and thread["archived"]:
        raise No(400, rest.Code.ARCHIVED_THREAD, "Thread is archived")
    if thread:
        _unlocked(discord, thread)
    _takes(discord, content, editing=True)
    return 200, objects.message(discord.server, await discord.edit(message, content))


@route("DELETE", "/channels/{channel}/messages/{message}")
async def delete(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.may(path["channel"], 0)
    message = await _public(discord, path)
    if message.author != "bot":
        await discord.may(path["channel"], permissions.Permission.MANAGE_MESSAGES)
    await discord.delete(path["channel"], path["message"])
    return 204, None


@route("POST", "/users/@me/channels")
async def direct_channel(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    recipient = str(_object(body).get("recipient_id"))
    if not is_snowflake(recipient):
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body: recipient_id")
    for id, channel in await discord.things("direct"):
        if channel["recipient"] == recipient:
            return 200, objects.direct(discord.server, id, recipient)
    id = discord.new_id()
    await discord.keep("direct", id, {"recipient": recipient})
    return 200, objects.direct(discord.server, id, recipient)


# Interactions


def _ours(discord: LocalDiscord, path: re.Match[str]) -> str:
    if path["application"] != discord.application_id:
        raise No(404, rest.Code.UNKNOWN_WEBHOOK, "Unknown Webhook")
    return path["token"]


@route("POST", "/webhooks/{application}/{token}")
async def follow_up(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    content = _object(body)
    token = await discord.token(_ours(discord, path))
    _takes(discord, content)
    private = token["user"] if content.get("flags", 0) & EPHEMERAL else None
    return 200, objects.message(discord.server, await discord.post(token["channel"], content, seen_by=private))


@route("PATCH", "/webhooks/{application}/{token}/messages/@original")
async def edit_original(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    content = _object(body)
    token = await discord.token(_ours(discord, path))
    if token["original"] is None:
        raise No(404, rest.Code.UNKNOWN_MESSAGE, "Unknown Message")
    _takes(discord, content, editing=True)
    message = await discord.message(token["channel"], token["original"])
    return 200, objects.message(discord.server, await discord.edit(message, content))


# Threads


@route("POST", "/channels/{channel}/messages/{message}/threads")
async def start_thread(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    """A thread has the id of the message that it hangs on, so there is one at most, and none inside another."""
    content = _object(body)
    await discord.may(path["channel"], 0)
    if await discord.thing("thread", path["channel"]):
        raise No(400, rest.Code.WRONG_CHANNEL_TYPE, "Cannot execute action on this channel type")
    await discord.may(path["channel"], permissions.Permission.CREATE_PUBLIC_THREADS)
    await _public(discord, path)
    if not 1 <= len(str(content.get("name", ""))) <= 100:
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body: name")
    if await discord.thing("thread", path["message"]):
        raise No(400, rest.Code.THREAD_EXISTS, "A thread has already been created for this message")
    thread = {"name": content["name"], "parent_id": path["channel"], "archived": False, "locked": False}
    await discord.keep("thread", path["message"], thread)
    return 201, objects.thread(discord.server, path["message"], thread)


# The server, its people and their roles


def _here(discord: LocalDiscord, path: re.Match[str]) -> None:
    if path["guild"] != discord.server.id:
        raise No(404, rest.Code.UNKNOWN_GUILD, "Unknown Guild")
    if discord.server.bot_id not in discord.server.members:
        raise No(403, rest.Code.MISSING_ACCESS, "Missing Access")


@route("GET", "/guilds/{guild}")
async def guild(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    return 200, objects.guild(discord.server)


@route("GET", "/guilds/{guild}/channels")
async def channels(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    return 200, [objects.channel(one) for one in discord.server.channels.values()]


@route("GET", "/guilds/{guild}/members/search")
async def search_members(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    """By the beginning of a name."""
    _here(discord, path)
    wanted = _object(body)
    start, most = str(wanted.get("query", "")).casefold(), str(wanted.get("limit", "1"))
    if not start or not most.isdigit() or not 1 <= int(most) <= 1000:
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body")
    found = [
        objects.member(discord.server, one, one["roles"])
        for one in discord.server.members.values()
        if any(
            str(name or "").casefold().startswith(start)
            for name in (one.get("nick"), one["user"]["username"], one["user"].get("global_name"))
        )
    ]
    return 200, found[: int(most)]


@route("GET", "/guilds/{guild}/members/{user}")
async def member(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    found = discord.server.members.get(path["user"])
    if found is None:
        raise No(404, rest.Code.UNKNOWN_MEMBER, "Unknown Member")
    given = [id.partition("/")[2] for id, _ in await discord.things("role") if id.startswith(f"{path['user']}/")]
    return 200, objects.member(discord.server, found, sorted({*found["roles"], *given}))


def _may_give(discord: LocalDiscord, path: re.Match[str]) -> None:
    _here(discord, path)
    role = discord.server.role(path["role"])
    if role is None:
        raise No(404, rest.Code.UNKNOWN_ROLE, "Unknown Role")
    if path["user"] not in discord.server.members:
        raise No(404, rest.Code.UNKNOWN_MEMBER, "Unknown Member")
    allowed = discord.server.bot_may() & permissions.Permission.MANAGE_ROLES and discord.server.bot_stands_above(role)
    if not allowed or role["managed"] or role["id"] == discord.server.id:
        raise No(403, rest.Code.MISSING_PERMISSION, "Missing Permissions")


@route("PUT", "/guilds/{guild}/members/{user}/roles/{role}")
async def give_role(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _may_give(discord, path)
    await discord.keep("role", f"{path['user']}/{path['role']}", {})
    return 204, None


@route("DELETE", "/guilds/{guild}/members/{user}/roles/{role}")
async def take_role(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _may_give(discord, path)
    await discord.forget("role", f"{path['user']}/{path['role']}")
    roles = discord.server.members[path["user"]]["roles"]
    if path["role"] in roles:
        roles.remove(path["role"])
    return 204, None


# Discord's own events


def _scheduled(discord: LocalDiscord, body: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The event after a change. Raises No."""
    event = {**before, **body}
    now = days.now(discord.clock)
    place = (event.get("entity_metadata") or {}).get("location") or ""
    problems = []
    if event.get("entity_type") != EXTERNAL or not 1 <= len(place) <= 100:
        problems.append("an external event needs a place")
    if event.get("privacy_level") != GUILD_ONLY or not 1 <= len(event.get("name") or "") <= 100:
        problems.append("name or privacy_level")
    if event.get("description") is not None and not 1 <= len(event["description"]) <= 1000:
        problems.append("description: 1 to 1000 characters")
    try:
        start, end = (datetime.fromisoformat(str(event.get(f"scheduled_{which}_time"))) for which in ("start", "end"))
    except ValueError:
        raise No(400, rest.Code.INVALID_FORM, "Invalid Form Body: scheduled_start_time, scheduled_end_time") from None
    if end <= start or ("scheduled_start_time" in body and start <= now):
        problems.append("the start lies in the past, or after the end")
    _checked(problems)
    return event


async def _changeable(discord: LocalDiscord, path: re.Match[str]) -> dict[str, Any]:
    """One that the bot may change, and that is not over. Nobody says whether the real one deletes what is over; this
    one does not, because that is the harder of the two."""
    _here(discord, path)
    found = await discord.thing("scheduled-event", path["id"])
    if found is None:
        raise No(404, rest.Code.UNKNOWN_SCHEDULED_EVENT, "Unknown Guild Scheduled Event")
    own = found.get("creator_id") == discord.server.bot_id
    _may(discord, permissions.Permission.MANAGE_EVENTS | (permissions.Permission.CREATE_EVENTS if own else 0))
    if _is_over(discord, found):
        raise No(400, rest.Code.FINISHED_EVENT, "Cannot update a finished event")
    return found


def _may(discord: LocalDiscord, one_of: int) -> None:
    if not discord.server.bot_may() & one_of:
        raise No(403, rest.Code.MISSING_PERMISSION, "Missing Permissions")


def _is_over(discord: LocalDiscord, event: Mapping[str, Any]) -> bool:
    past = datetime.fromisoformat(event["scheduled_end_time"]) <= days.now(discord.clock)
    return past or event.get("status") in (COMPLETED, CANCELED)


@route("GET", "/guilds/{guild}/scheduled-events")
async def scheduled_events(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    found = await discord.things("scheduled-event")
    return 200, [objects.scheduled_event(discord.server, id, one) for id, one in found if not _is_over(discord, one)]


@route("POST", "/guilds/{guild}/scheduled-events")
async def make_scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    _may(discord, permissions.Permission.CREATE_EVENTS)
    event = _scheduled(discord, _object(body), {})
    going = [one for _, one in await discord.things("scheduled-event") if not _is_over(discord, one)]
    if len(going) >= SCHEDULED_EVENTS_MAX:
        raise No(
            400, rest.Code.TOO_MANY_SCHEDULED_EVENTS, "Maximum number of uncompleted guild scheduled events reached"
        )
    id = discord.new_id()
    event["creator_id"] = discord.server.bot_id
    await discord.keep("scheduled-event", id, event)
    return 200, objects.scheduled_event(discord.server, id, event)


@route("PATCH", "/guilds/{guild}/scheduled-events/{id}")
async def edit_scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    before = await _changeable(discord, path)
    event = _scheduled(discord, _object(body), before)
    await discord.keep("scheduled-event", path["id"], event)
    return 200, objects.scheduled_event(discord.server, path["id"], event)


@route("DELETE", "/guilds/{guild}/scheduled-events/{id}")
async def delete_scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await _changeable(discord, path)
    await discord.forget("scheduled-event", path["id"])
    return 204, None


# Commands


@route("PUT", "/applications/{application}/commands")
async def commands(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    if path["application"] != discord.application_id:
        raise No(403, rest.Code.MISSING_ACCESS, "Missing Access")
    _checked(limits.problems_of_commands(body))
    await discord.keep("commands", path["application"], body)
    guild_id = path.groupdict().get("guild")
    return 200, [objects.command(discord.new_id(), path["application"], guild_id, one) for one in body]


@route("PUT", "/applications/{application}/guilds/{guild}/commands")
async def guild_commands(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _here(discord, path)
    return await commands(discord, path, body)
