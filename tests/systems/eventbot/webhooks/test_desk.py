"""Every interaction is answered in time and carried out once."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from sekkei.design import Database
from sekkei.runtime.design import State
from sekkei_fakes.discord.client import command_data
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT, Person
from sekkei_systems.eventbot.rules.drafts import Draft
from sekkei_systems.eventbot.webhooks import desk as interaction_desk
from sekkei_systems.eventbot.webhooks.desk import InteractionDesk
from tests.systems.eventbot.conftest import AOI, REN, Bot, send, somebody


def desk_of(bot: Bot) -> InteractionDesk:
    job = bot.client.shell.deployment.systems["eventbot"].parts.scheduled[interaction_desk.ANSWER_LATE]
    desk: InteractionDesk = job.__self__  # type: ignore[attr-defined]
    return desk


@pytest.fixture
def gate(quick: Bot, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Nobody is served before it opens, and nobody has patience."""
    opened, handled = asyncio.Event(), InteractionDesk._handled

    async def held(self: InteractionDesk, asked: Any) -> Any:
        await opened.wait()
        return await handled(self, asked)

    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 0.05)
    monkeypatch.setattr(InteractionDesk, "_handled", held)
    return opened


async def shown_to(bot: Bot, person: Person) -> str:
    return str([body for _, body in await bot.posts(viewer=person)])


async def test_a_late_answer_is_deferred_and_follows(quick: Bot, gate: asyncio.Event) -> None:
    """Discord waits three seconds; whatever takes longer says «thinking» and comes through the outbox."""
    event = await quick.event()
    outcome = await quick.app.command(REN, RECRUIT, "event list", {})
    assert outcome.response == {"type": 5, "data": {"flags": 64}}
    gate.set()
    await desk_of(quick).settled()
    await quick.work()
    shown = {one.message_id: body for one, body in await quick.posts(viewer=REN)}
    assert event.title in str(shown[str(outcome.message_id)])


async def test_what_was_put_off_is_done_although_the_process_dies(quick: Bot, gate: asyncio.Event) -> None:
    event = await quick.event()
    outcome = await quick.press(REN, event, "join")
    assert outcome.response == {"type": 6}
    await _die()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 0
    gate.set()
    await quick.work(30)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [REN.id]
    await quick.work(30)
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1


async def test_whoever_was_served_but_not_told_is_told(
    quick: Bot, gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies between the effect and the late answer."""
    event = await quick.event()

    async def dies(*given: Any) -> None:
        raise SystemError

    with monkeypatch.context() as dying:
        dying.setattr(InteractionDesk, "_reply", dies)
        assert (await quick.press(REN, event, "join")).response == {"type": 6}
        gate.set()
        await desk_of(quick).settled()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1
    await quick.work(30)
    assert "もう受け付けています" in await shown_to(quick, REN)
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 1


async def test_a_removal_that_is_answered_late_is_told_to_whoever_asked(quick: Bot, gate: asyncio.Event) -> None:
    """What was pressed is the post, which is gone by then."""
    event = await quick.event()
    assert (await quick.press(AOI, event, "deleteyes")).response == {"type": 6}
    gate.set()
    await desk_of(quick).settled()
    await quick.calm()
    told = await quick.service.desk.outbox.get(f"removed/{event.event_id[4:]}")
    assert told is not None
    assert (told.state, told.last_error) == (State.SENT, None)
    assert "削除しました" in str([body for one, body in await quick.posts(viewer=AOI) if one.seen_by == AOI.id])


async def test_a_form_that_comes_too_late_asks_to_press_again(quick: Bot, gate: asyncio.Event) -> None:
    event = await quick.event()
    assert (await quick.press(AOI, event, "edit")).response == {"type": 6}
    gate.set()
    await desk_of(quick).settled()
    await quick.work()
    assert "もう一度押して" in await shown_to(quick, AOI)


async def test_suggestions_are_never_put_off(quick: Bot, gate: asyncio.Event) -> None:
    found = await quick.app.complete(REN, RECRUIT, "event show", {"event": "会"})
    assert found.ok, found.reason
    assert found.choices == []


async def test_behind_a_long_line_the_answer_comes_at_once(
    quick: Bot, gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await quick.event()
    monkeypatch.setattr(interaction_desk, "ANSWER_SECONDS", 60.0)
    monkeypatch.setattr(interaction_desk, "LINE_MAX", 2)
    monkeypatch.setattr(interaction_desk, "BREATH_SECONDS", 0.0)
    monkeypatch.setattr(desk_of(quick), "_turns", asyncio.Semaphore(1))
    waiting = [asyncio.create_task(quick.press(somebody(n), event, "join")) for n in range(4)]
    told, pending = await asyncio.wait(waiting, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    assert pending
    assert told
    assert all(task.result().response == {"type": 6} for task in told)
    gate.set()
    await asyncio.gather(*waiting)
    await desk_of(quick).settled()
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == 4


async def _die() -> None:
    """All that goes on after the answer stops."""
    ours = {task for task in asyncio.all_tasks() if "_in_turn" in repr(task) or "_follow" in repr(task)}
    for task in ours:
        task.cancel()
    await asyncio.wait(ours)


EFFECTS = ["join", "leave", "maybe", "close", "cancelyes", "repost", "deleteyes"]


@pytest.mark.parametrize("verb", EFFECTS)
async def test_the_mark_and_the_effect_are_one(quick: Bot, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash in the transaction leaves neither, so the same interaction can be sent again; afterwards it cannot."""
    event = await quick.event()
    if verb == "leave":
        await quick.press(AOI, event, "join")
    before = await quick.service.events.view(GUILD_ID, event.event_id)
    data = {"custom_id": f"e1:{verb}:{event.event_id[4:]}", "component_type": 2}
    body = orjson.dumps(quick.app.interaction(3, AOI, RECRUIT, data, "token"))

    async def broken(*given: Any, **named: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as breaking:
        breaking.setattr(Database, "transact", broken)
        assert "うまくいきません" in (await send(quick, body))[1].decode()
    assert await quick.service.events.view(GUILD_ID, event.event_id) == before
    status, answer = await send(quick, body)
    assert status == 200
    assert "うまくいきません" not in answer.decode()
    assert (await send(quick, body))[0] == 409


async def test_a_late_answer_never_paints_an_old_picture_over_a_new_one(quick: Bot, gate: asyncio.Event) -> None:
    """The edit that follows every change draws the message; what the press would have shown is stale by then."""
    event = await quick.event()
    assert (await quick.press(REN, event, "join")).response == {"type": 6}
    gate.set()
    await desk_of(quick).settled()
    await quick.service.events.edit(
        await quick.host(AOI, event.event_id), Draft("新しい題", start=event.event_start_at)
    )
    settle = quick.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]
    await settle({"guild_id": GUILD_ID, "event_id": event.event_id})
    await quick.client.shell.deployment.worker.deliver()
    shown = {one.message_id: body for one, body in await quick.posts()}
    assert shown[str(event.recruit_message_id)]["embeds"][0]["title"] == "新しい題"
    assert REN.id in str(shown[str(event.recruit_message_id)])


# What reaches the endpoint, however odd, gets an answer that Discord understands.


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
    from sekkei_fakes.discord.limits import problems_of_response

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
