"""Buttons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.runtime.design import Message, State
from sekkei_fakes.discord.client import AppClient, Outcome
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT, Person
from sekkei_systems.eventbot.design import Event, Status
from sekkei_systems.eventbot.rules import drafts
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot


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


# Options and the organiser's hands, as people use them in Discord.


RAID = tuple(drafts.read_options("🛡️ Tank 1\n💚 Healer 1"))


def ids(message: dict[str, Any]) -> list[str]:
    return [one["custom_id"] for row in message["components"] for one in row["components"] if "custom_id" in one]


async def press(bot: Bot, person: Person, before: Outcome | Event, id: str, chosen: list[str] | None = None) -> Outcome:
    message = before.recruit_message_id if isinstance(before, Event) else before.message_id
    assert message is not None
    outcome = await bot.app.press(person, RECRUIT, message, id, chosen)
    assert outcome.ok, outcome.reason
    return outcome


async def chosen_by(bot: Bot, event: Event) -> dict[str, str | None]:
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    return {one.user_id: one.option_id for one in view.members}


async def test_buttons_of_options(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    uuid = event.event_id[4:]
    joined = await press(quick, REN, event, f"e1:option:{uuid}:01")
    buttons = joined.response["data"]["components"][0]["components"]
    assert [(one["label"], one["emoji"]["name"]) for one in buttons] == [("Tank 1/1", "🛡️"), ("Healer 0/1", "💚")]
    assert (await press(quick, MEI, event, f"e1:option:{uuid}:01")).response["type"] == 7
    await quick.work()
    assert any("Tank" in body["content"] and "補欠" in body["content"] for _, body in await quick.posts(viewer=MEI))
    asked = await press(quick, SOTA, event, f"e1:join:{uuid}")
    assert ids(asked.response["data"]) == [f"e1:option:{uuid}:01", f"e1:option:{uuid}:02"]
    late = await press(quick, SOTA, event, f"e1:late:{uuid}")
    await press(quick, SOTA, late, f"e1:lateoption:{uuid}:02")
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert {one.user_id: one.late for one in view.members} == {REN.id: False, SOTA.id: True}
    gone = await quick.app.press(YUI, RECRUIT, event.recruit_message_id or "", f"e1:option:{uuid}:09")
    assert "もうありません" in gone.response["data"]["content"]


async def test_options_are_written_in_a_form_and_kept_in_a_template(quick: Bot) -> None:
    event = await quick.event()
    uuid = event.event_id[4:]
    form = (await press(quick, AOI, event, f"e1:options:{uuid}")).modal
    assert form is not None
    wrong = await quick.app.submit(AOI, RECRUIT, form["custom_id"], {"options": "🛡️"})
    assert "読めません" in wrong.response["data"]["content"]
    again = await press(quick, AOI, wrong, ids(wrong.response["data"])[0])
    assert again.modal is not None
    assert again.modal["components"][0]["component"]["value"] == "🛡️"
    done = await quick.app.submit(AOI, RECRUIT, form["custom_id"], {"options": "🛡️ Tank 2\nDPS"})
    assert "保存" in done.response["data"]["content"]
    await quick.service.guilds.save_template(await quick.host(AOI, event.event_id), "レイド")
    opened = await quick.app.command(AOI, RECRUIT, "event create", {"template": "レイド"})
    assert opened.modal is not None
    await quick.app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "次のレイド", "start": "明日 21時"})
    made = next(one for one in await quick.service.events.of_guild(GUILD_ID) if one.title == "次のレイド")
    assert drafts.option_lines(made.options) == ["🛡️ Tank 2", "DPS"]


async def test_an_organiser_adds_moves_and_removes(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    uuid = event.event_id[4:]
    menu = await press(quick, AOI, event, f"e1:people:{uuid}")
    person = await press(quick, AOI, menu, f"e1:person:{uuid}", [REN.id])
    assert "参加していません" in person.response["data"]["content"]
    await press(quick, AOI, menu, f"e1:pseatin:{uuid}:{REN.id}", ["01"])
    assert await chosen_by(quick, event) == {REN.id: "01"}
    await press(quick, AOI, menu, f"e1:pmove:{uuid}:{REN.id}", ["02"])
    assert await chosen_by(quick, event) == {REN.id: "02"}
    removed = await press(quick, AOI, menu, f"e1:premove:{uuid}:{REN.id}")
    assert "外しました" in removed.response["data"]["content"]
    assert await chosen_by(quick, event) == {}
    refused = await press(quick, SOTA, event, f"e1:pseat:{uuid}:{SOTA.id}")
    assert "主催者だけ" in refused.response["data"]["content"]


async def test_attendance_and_past_events(quick: Bot) -> None:
    event = await quick.event()
    uuid = event.event_id[4:]
    for someone in (REN, MEI):
        await quick.service.joining.join(someone.actor, event.event_id)
        quick.clock.advance(1)
    await quick.work(24 * 3600)
    menu = await press(quick, AOI, event, f"e1:attend:{uuid}:0")
    [row] = menu.response["data"]["components"]
    assert [one["default"] for one in row["components"][0]["options"]] == [True, True]
    done = await press(quick, AOI, menu, f"e1:attended:{uuid}:0", [REN.id])
    assert "出席 1 人" in done.response["data"]["content"]
    listed = await quick.app.command(YUI, RECRUIT, "event past", {})
    assert "出席 1/2" in str(listed.response["data"]["embeds"])
    managed = await quick.app.command(AOI, RECRUIT, "event manage", {"event": "もくもく会"})
    assert f"e1:attend:{uuid}:0" in ids(managed.response["data"])


async def test_telling_those_of_one_option(quick: Bot) -> None:
    event = await quick.event(options=RAID)
    uuid = event.event_id[4:]
    await press(quick, REN, event, f"e1:option:{uuid}:01")
    await press(quick, MEI, event, f"e1:option:{uuid}:02")
    form = (await press(quick, AOI, event, f"e1:tell:{uuid}")).modal
    assert form is not None
    values = {"text": "<@&910000000000000004> 集合", "audience": "02"}
    told = await quick.app.submit(AOI, RECRUIT, form["custom_id"], values)
    assert "1 人に送ります" in told.response["data"]["content"]
    await quick.work()
    [post] = [one for one, body in await quick.posts() if "集合" in body["content"]]
    assert post.pinged == [MEI.id], "the text rings nobody else"
