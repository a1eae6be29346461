"""What reaches the endpoint, however odd, gets an answer that Discord understands."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sekkei_fakes.discord.client import command_data
from sekkei_systems.eventbot.demo.guild import RECRUIT
from tests.systems.eventbot.conftest import AOI, REN, Bot, send

UUID = "0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"type":9}',
        b'{"type":"1"}',
        b'{"type":2}',
        b'{"type":3,"id":"1","token":"t"}',
        b'{"type":3,"id":"x","token":"t","data":{}}',
        b'{"type":3,"id":"1","token":"","data":{}}',
    ],
)
async def test_nonsense_is_refused(quick: Bot, body: bytes) -> None:
    status, _ = await send(quick, body)
    assert status == 400


ODD_PRESSES: list[Any] = [
    {},
    {"custom_id": ""},
    {"custom_id": 7},
    {"custom_id": "e1"},
    {"custom_id": "e1:join:nonsense"},
    {"custom_id": f"e0:join:{UUID}"},
    {"custom_id": f"e1:join:{UUID}"},
    {"custom_id": f"e1:members:{UUID}:-5"},
    {"custom_id": f"e1:members:{UUID}:99999999999999999999"},
    {"custom_id": f"e1:ack:{UUID}"},
    {"custom_id": "e1:list::99999"},
    {"custom_id": f"e1:retry:{UUID}:edit"},
    {"custom_id": f"e1:__class__:{UUID}"},
    {"custom_id": "e1:join:" + "x" * 5000},
]


@pytest.mark.parametrize("data", ODD_PRESSES, ids=range(len(ODD_PRESSES)))
@pytest.mark.parametrize("kind", [2, 3, 4, 5])
async def test_odd_interactions_get_a_proper_answer(quick: Bot, kind: int, data: Any) -> None:
    interaction = quick.app.interaction(kind, REN, RECRUIT, data, "token")
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 200
    from sekkei_systems.eventbot.rules.limits import problems_of_response

    assert problems_of_response(orjson.loads(body), kind) == []


@pytest.mark.parametrize("components", ["x", {"a": 1}, [1, None, {"component": 5}, {"components": [7]}], 5])
async def test_a_form_of_another_shape_is_an_empty_one(quick: Bot, components: Any) -> None:
    data = {"custom_id": "e1:create:", "components": components}
    status, body = await send(quick, orjson.dumps(quick.app.interaction(5, AOI, RECRUIT, data, "token")))
    assert status == 200
    assert "タイトルを入力" in body.decode()


async def test_outside_of_a_server_it_says_so(quick: Bot) -> None:
    interaction = quick.app.interaction(2, REN, RECRUIT, {"name": "event"}, "token")
    del interaction["guild_id"], interaction["member"]
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 200
    assert "サーバーの中" in body.decode()


async def test_what_changes_nothing_is_not_told_twice_either(quick: Bot) -> None:
    """A recorded `/event web` would give a fresh link to whoever sends it again."""
    interaction = quick.app.interaction(2, AOI, RECRUIT, command_data("event web", {}), "token")
    assert (await send(quick, orjson.dumps(interaction)))[0] == 200
    status, body = await send(quick, orjson.dumps(interaction))
    assert status == 409
    assert b"token=" not in body
