"""What is left of messages: a receipt some days after they were sent, and nothing of people who have left.

A receipt says that something went out and when; text and address are gone. It stays as long as its reason must not be
given again.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from typing import Any

from sekkei.design import Database, Update
from sekkei.runtime.design import (
    FAILED,
    OUTBOX,
    SENT,
    Message,
    SetAside,
    messages,
    messages_of,
    newest_set_aside,
    set_aside,
)

_PLACES = (OUTBOX, FAILED + OUTBOX, SENT)


def cutting(id: str) -> Update[Message]:
    """Leave a receipt; it stands in the list still, and waits for nothing."""
    update = messages.update(id).set(Message.body, {}).set(Message.to, "")
    update = update.remove(Message.people).remove(Message.last_error)
    return update.remove(Message.due_pk).remove(Message.due_at)


async def forget(runtime: Database, people: Collection[str], system: str | None = None) -> int:
    """Delete what is addressed to these people or tells of them, wherever it stands; of one system, or of all.

    Returns how much that was. It may be cut off anywhere and done again. Indexes show for a while what is gone: only
    what the tables have counts, or whoever goes on until nothing is left would delete it again and again.
    """
    named = [person for person in people if person]
    ids = {message.id for person in named async for message in _messages_of(runtime, person, system)}
    records = [one async for one in _set_aside(runtime, system) if names(one.record, set(named))]
    left = await runtime.get_many([messages(id).consistent() for id in sorted(ids)])
    aside = await runtime.get_many([set_aside(one.consumer, one.sequence).consistent() for one in records])
    await runtime.write_many(messages.delete(one.id) for one in left if one is not None)
    await runtime.write_many(set_aside.delete(one.consumer, one.sequence) for one in aside if one is not None)
    return sum(one is not None for one in (*left, *aside))


async def _messages_of(runtime: Database, person: str, system: str | None) -> AsyncIterator[Message]:
    for place in _PLACES:
        for message in await runtime.all(messages_of(person, place)):
            if system is None or message.system == system:
                yield message


async def _set_aside(runtime: Database, system: str | None) -> AsyncIterator[SetAside]:
    for one in await runtime.all(newest_set_aside()):
        if system is None or one.consumer.startswith(f"{system}/"):
            yield one


def names(value: Any, people: set[str]) -> bool:
    """Whether a value, such as a stream record, holds one of these ids or addresses, alone or in a key."""
    return any(text in people or not people.isdisjoint(re.split("[#/]", text)) for text in _texts(value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value  # a map may be kept by people's ids
        for inside in value.values():
            yield from _texts(inside)
    elif isinstance(value, list | tuple | set | frozenset):
        for inside in value:
            yield from _texts(inside)
