"""Operators change the bot's words and sums; what is said about money stays ours."""

from __future__ import annotations

import pytest

from sekkei.runtime.refusals import Conflict, NotThere
from sekkei_systems.chiipochi.design.models import Wording
from sekkei_systems.chiipochi.refusals import BadWording
from sekkei_systems.chiipochi.rules.messages import EDITABLE
from sekkei_systems.chiipochi.service.access import Operator
from tests.systems.chiipochi.conftest import REN, Bot

AOIS = Operator("demo-aoi")


async def _answer(bot: Bot, words: str) -> str:
    await bot.say(words)
    return str((await bot.sent("reply/"))[-1].body)


async def test_words_change_without_a_deploy_and_go_back(quick_bot: Bot) -> None:
    ours = await _answer(quick_bot, "ヘルプ")
    await quick_bot.service.wordings.keep(AOIS, Wording(name="help", ja="{困ったら} 03-0000-0000 へ"))
    assert "{困ったら} 03-0000-0000 へ" in await _answer(quick_bot, "ヘルプ")
    await quick_bot.say("English")
    assert "How to use Chiipochi" in await _answer(quick_bot, "help"), "the other language keeps ours"
    await quick_bot.say("日本語")
    await quick_bot.service.wordings.keep(AOIS, Wording(name="help", version=1))
    assert "ちいポチの使い方" in await _answer(quick_bot, "ヘルプ")
    assert "ちいポチの使い方" in ours


async def test_every_text_that_can_be_changed_is_said(quick_bot: Bot) -> None:
    """None of them is a box that does nothing."""
    bot, group = quick_bot, {"source": {"type": "group", "groupId": "C" + "1" * 32, "userId": REN}}
    for name in EDITABLE:
        await bot.service.wordings.keep(AOIS, Wording(name=name, ja=f"[{name}]"))
    said = {"text": "@bot", "id": "9", "type": "text", "quoteToken": "q"}
    mention = {"mention": {"mentionees": [{"index": 0, "length": 4, "type": "user", "isSelf": True}]}}
    await bot.deliver(bot.event(REN, type="follow", follow={"isUnblocked": False}))
    await bot.deliver(bot.event(REN, type="follow", follow={"isUnblocked": True}))
    await bot.deliver(bot.event(REN, type="message", message={**said, **mention}, **group))
    await bot.say("はい", "ヘルプ", "ほげほげ", "毎月", "毎月をやめる", "毎月 ピーナッツ 300", "はい", "毎月をやめる")
    await bot.say("ピーナッツ", "いいえ", "ピーナッツ")
    bot.clock.advance(700)
    await bot.say("はい")
    everything = " ".join(str(one.body) for one in await bot.sent())
    assert [name for name in EDITABLE if f"[{name}]" not in everything] == []


async def test_the_sums_of_the_cards(quick_bot: Bot) -> None:
    await quick_bot.service.wordings.keep(AOIS, Wording(name="amounts", amounts=[200, 2_000]))
    asked = await _answer(quick_bot, "ピーナッツ")
    assert "千葉県に200円を寄付しますか" in asked
    assert "2,000円にする" in asked
    assert "300円にする" not in asked


async def test_each_change_is_on_record_and_nobody_overwrites_another(quick_bot: Bot) -> None:
    bot = quick_bot
    await bot.service.wordings.keep(AOIS, Wording(name="amounts", amounts=[200]))
    bot.clock.advance(1)
    await bot.service.wordings.keep(Operator("demo-ren"), Wording(name="amounts", amounts=[300], version=1))
    await bot.service.wordings.keep(Operator("demo-ren"), Wording(name="amounts", amounts=[300], version=2))
    with pytest.raises(Conflict):
        await bot.service.wordings.keep(AOIS, Wording(name="amounts", amounts=[500], version=1))
    newest, first = await bot.service.appeals.changes(AOIS)
    assert (newest.by, newest.code, newest.changes) == ("demo-ren", "TEXT-amounts", ["amounts: 200 → 300"])
    assert first.by == "demo-aoi"


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        (Wording(name="failed", ja="x"), NotThere),
        (Wording(name="refunded", ja="x"), NotThere),
        (Wording(name="help", ja="x" * 1_001), BadWording),
        (Wording(name="help", amounts=[100]), BadWording),
        (Wording(name="amounts", amounts=[99]), BadWording),
        (Wording(name="amounts", amounts=[100, 200, 300, 400, 500]), BadWording),
        (Wording(name="amounts", ja="x"), BadWording),
    ],
)
async def test_what_cannot_be_changed(quick_bot: Bot, wrong: Wording, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        await quick_bot.service.wordings.keep(AOIS, wrong)
