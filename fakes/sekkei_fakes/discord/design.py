"""Where our own end of Discord keeps what a server of Discord would: messages, and whatever else was made."""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Key, Query, attr, iso, model, part

design = Design("local-discord", ja="手元の Discord", en="A Discord of one's own")
table = design.table(
    "local-discord", "PK", "SK", discriminator="type", added=True, ja="手元の Discord", en="Local Discord"
)
MILLISECONDS = iso("Z", 3)


@model
class LocalMessage:
    """A message in a channel; `seen_by` is whoever alone sees it."""

    channel_id: Attr[str] = part()
    message_id: Attr[str] = part()
    author: Attr[str] = attr(en="bot, or a user's id")
    body: Attr[str] = attr(en="the payload, as JSON")
    seen_by: Attr[str | None] = attr(default=None)
    nonce: Attr[str | None] = attr(default=None)
    thinking: Attr[bool] = attr(default=False)
    at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    edited_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)
    pinged: Attr[list[str]] = attr(default_factory=list, en="who was rung")


@table.entity(LocalMessage, type="message")
def local_messages(channel_id: str, message_id: str) -> Key:
    return Key(f"CHANNEL#{channel_id}", f"MESSAGE#{message_id}")


@model
class LocalThing:
    """Anything else: commands, threads, roles, scheduled events, tokens of interactions."""

    kind: Attr[str] = part()
    id: Attr[str] = part(escape=True)
    body: Attr[str] = attr(default="{}")


@table.entity(LocalThing, type="thing")
def local_things(kind: str, id: str) -> Key:
    return Key(f"THING#{kind}", f"THING#{id}")


@design.pattern(ja="チャンネルのメッセージ（新しい順）", added=True)
def messages_of_channel(channel_id: str) -> Query[LocalMessage]:
    """Newest first."""
    return local_messages.where(LocalMessage.channel_id == channel_id).backwards()


@design.pattern(ja="作られたもの", added=True)
def things_of_kind(kind: str) -> Query[LocalThing]:
    """Everything of one kind."""
    return local_things.where(LocalThing.kind == kind)
