"""What phones are told, judged as they show it: for the promises to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei.runtime.design import Message
from sekkei.worlds import World, promises
from sekkei_fakes.expo import Phone
from sekkei_systems.q.design.models import Block
from sekkei_systems.q.rules.notices import PUSH

SKEW = 3.0
"""By so much two clocks may differ."""
ON_ITS_WAY_SECONDS = 45.0
"""So long a message may be on its way after it was judged: a slow request, with the turn it waited for."""


def hear(world: World, phone: Phone, message: dict[str, Any]) -> None:
    _hear_again(world, phone, message)
    _hear_of_who_is_apart(world, phone, message)


def _hear_again(world: World, phone: Phone, message: dict[str, Any]) -> None:
    """Whether the phone shows what it has shown before, although nobody doubts that it arrived."""
    times = [_said(each) for each in phone.shown].count(_said(message))
    if times == 1:
        return
    rows = (one for one in promises.runtime_rows(world) if isinstance(one, Message))
    told = [one for one in rows if one.kind == PUSH and one.to == phone.token and _said(one.body) == _said(message)]
    now = world.clock.now() + SKEW
    doubted = any(one.unsure_since is not None and one.unsure_since.timestamp() < now for one in told)
    if told and not doubted and times > len(told):
        world.given["told_again"].append(f"{_owner(phone)} was told {times} times: {_said(message)}")


def _said(body: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(body.get(name) for name in ("channelId", "collapseId", "body"))


def _hear_of_who_is_apart(world: World, phone: Phone, message: dict[str, Any]) -> None:
    """Whether it tells of somebody whom the phone's owner has had nothing to do with for a while, or has muted."""
    names = {one.memory["id"]: one.name for one in world.people if "id" in one.memory}
    owner = _owner(phone)
    for one in (*world.decoded("Blocks"), *world.decoded("Mutes")):
        both = (one.blocker_id, one.blocked_id) if isinstance(one, Block) else (one.muter_id, one.muted_id)
        whose = [names.get(id) for id in both]
        is_apart = owner in whose if isinstance(one, Block) else owner == whose[0]
        if is_apart and world.clock.now() - one.created_at.timestamp() > ON_ITS_WAY_SECONDS:
            named = [name for name in whose if name and name != owner and name in message["body"]]
            world.given["told_of_who_is_apart"] += [f"{owner} was told of {name}" for name in named]


def _owner(phone: Phone) -> str:
    return phone.token.partition("[")[2].removesuffix("]")
