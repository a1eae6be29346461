"""Interactions are read with care, and answered by the types of Discord's documentation."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sekkei_fakes.discord.limits import problems_of_response
from sekkei_systems.eventbot.webhooks import interactions
from sekkei_systems.eventbot.webhooks.interactions import BadInteraction, read

# Answers as Discord takes them.


def test_suggestions_are_clipped_to_what_fits() -> None:
    found = interactions.choices([("名" * 300, str(number)) for number in range(60)])
    assert problems_of_response(found, 4) == []
    assert len(found["data"]["choices"]) == 25


def test_an_update_empties_what_it_does_not_fill() -> None:
    found = interactions.update({"content": "済み", "flags": 64})
    assert found == {"type": 7, "data": {"content": "済み", "embeds": [], "components": []}}
    assert problems_of_response(found, 3) == []


# An interaction is read with suspicion.


MEMBER = {"user": {"id": "7", "username": "taro", "global_name": "太郎"}, "roles": ["1", "2"], "permissions": "8"}


def body(**changes: Any) -> bytes:
    given = {"id": "5", "type": 3, "token": "t", "guild_id": "9", "channel_id": "4", "member": MEMBER, "data": {}}
    return orjson.dumps({**given, **changes})


def test_who_asks_is_read_from_the_member() -> None:
    actor = read(body()).actor
    assert actor is not None
    assert (actor.guild_id, actor.user_id, actor.name, actor.permissions) == ("9", "7", "太郎", 8)
    assert actor.roles == {"1", "2"}
    nicked = read(body(member={**MEMBER, "nick": "たろ"})).actor
    assert nicked is not None
    assert nicked.name == "たろ"


@pytest.mark.parametrize(
    ("nick", "name"),
    [
        ("た\u202eろ\u200b\n", "たろ"),
        ("\u3164", "太郎"),
        ({"x": 1}, "太郎"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
    ],
)
def test_a_name_is_what_people_see_of_it(nick: object, name: str) -> None:
    actor = read(body(member={**MEMBER, "nick": nick})).actor
    assert actor is not None
    assert actor.name == name


@pytest.mark.parametrize("permissions", [None, "", "-1", "0x8", 8.5, ["8"], "８"])
def test_odd_permissions_are_none(permissions: object) -> None:
    actor = read(body(member={**MEMBER, "permissions": permissions})).actor
    assert actor is not None
    assert actor.permissions == 0


def test_outside_of_a_guild_nobody_acts() -> None:
    assert read(body(guild_id=None)).actor is None
    assert read(body(member=None)).actor is None


@pytest.mark.parametrize("member", [{}, {"user": {}}, {"user": {"id": "x"}}, {"user": "7"}])
def test_a_member_without_a_user_is_refused(member: object) -> None:
    with pytest.raises(BadInteraction):
        read(body(member=member))


def test_suggestions_are_not_marked_as_done() -> None:
    for kind, marked in ((2, True), (3, True), (4, False), (5, True)):
        actor = read(body(type=kind)).actor
        assert actor is not None
        assert (actor.request is not None) is marked
