"""Buttons."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from sekkei.runtime.design import Message, State
from sekkei_fakes.discord.client import AppClient, Outcome
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Status
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot


async def test_a_second_press_says_so_and_changes_nothing(quick: Bot) -> None:
    event = await quick.event()
    await quick.press(REN, event, "join")
    again = await quick.press(REN, event, "join")
    assert again.response["type"] == 4
    assert "もう参加" in again.response["data"]["content"]
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert len(view.members) == view.event.member_count == 1


async def pressed_while_the_outbox_works(bot: Bot, status: int) -> tuple[Outcome, Message]:
    """Somebody queues, and what the bot says of it is sent before Discord has the answer."""
    event, ids = await bot.event(capacity=1), list[str]()
    await bot.press(REN, event, "join")

    async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        ids.append(orjson.loads(body)["id"])
        answer = await bot.app._deliver(body, headers)
        await bot.work()
        return (200, answer[1]) if status == 200 else (status, b"")

    app = AppClient(bot.local, bot.app._signer, deliver, bot.local.application_id, bot.clock)
    uuid = event.event_id.partition("#")[2]
    outcome = await app.press(MEI, RECRUIT, str(event.recruit_message_id), f"e1:join:{uuid}")
    await bot.calm()
    word = await bot.service.desk.outbox.get(f"word/{ids[0]}")
    assert word is not None
    return outcome, word


def tries(bot: Bot) -> list[int]:
    return [one["status"] for one in reversed(bot.local.log) if one["path"].startswith("/webhooks/")]


async def test_a_word_that_is_quicker_than_the_answer_is_said_after_it(quick: Bot) -> None:
    outcome, word = await pressed_while_the_outbox_works(quick, 200)
    assert outcome.response["type"] == 7
    said = [body["content"] for one, body in await quick.posts(viewer=MEI) if one.seen_by == MEI.id]
    assert len(said) == 1
    assert "補欠" in said[0]
    assert (word.state, tries(quick)) == (State.SENT, [404, 200])


async def test_what_was_not_answered_in_time_is_told_nothing(quick: Bot) -> None:
    """The token will never be good: it is asked for a while, and then no more."""
    outcome, word = await pressed_while_the_outbox_works(quick, 500)
    assert not outcome.ok
    assert word.state is State.FAILED
    assert "10015" in str(word.last_error)
    assert 2 < len(tries(quick)) < 12


async def test_members_may_not_manage(quick: Bot) -> None:
    event = await quick.event()
    for verb in ("panel", "edit", "details", "close", "cancel", "cancelyes", "deleteyes", "newnotice", "repost"):
        answer = await quick.press(SOTA, event, verb)
        assert answer.response["type"] == 4
        assert "主催者" in answer.response["data"]["content"], verb
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.OPEN


async def test_notice_is_confirmed_and_counted(quick: Bot) -> None:
    event = await quick.event()
    for person in (REN, MEI):
        await quick.press(person, event, "join")
    opened = await quick.press(AOI, event, "newnotice")
    assert opened.modal is not None
    sent = await quick.app.submit(
        AOI, RECRUIT, opened.modal["custom_id"], {"title": "持ち物", "body": "ノート PC", "remind": ""}
    )
    assert sent.ok, sent.reason
    await quick.work()
    [notice] = await quick.notices_seen_by(AOI, event)
    assert notice.notice_message_id is not None
    ack = f"e1:ack:{notice.notice_id[4:]}"
    confirmed = await quick.app.press(REN, RECRUIT, notice.notice_message_id, ack)
    assert "**1 / 2**" in str(confirmed.response)
    outsider = await quick.app.press(SOTA, RECRUIT, notice.notice_message_id, ack)
    assert "参加者だけ" in outsider.response["data"]["content"]
    unacked = await quick.app.press(AOI, RECRUIT, notice.notice_message_id, f"e1:unacked:{notice.notice_id[4:]}:0")
    assert MEI.id in str(unacked.response)
    assert REN.id not in str(unacked.response)


async def test_every_verb_of_the_panel_answers(quick: Bot) -> None:
    event = await quick.event()
    panel = await quick.press(AOI, event, "panel")
    assert panel.message_id is not None
    for row in panel.response["data"]["components"]:
        for button in row["components"]:
            outcome = await quick.app.press(AOI, RECRUIT, panel.message_id, button["custom_id"])
            assert outcome.ok, (button["label"], outcome.reason)
            assert "うまくいきません" not in str(outcome.response), button["label"]
