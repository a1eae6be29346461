"""An appeal: its words lead to it, its sum moves with the money, and each change is on record."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.design import replace
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei_systems.chiipochi.design.models import Appeal, Wording
from sekkei_systems.chiipochi.refusals import BadAppeal, BadWording
from sekkei_systems.chiipochi.rules.messages import EDITABLE
from sekkei_systems.chiipochi.service.access import Donor, Operator
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot

AOIS = Operator("demo-aoi")
NOTO = Appeal(
    code="NOTO",
    ja="能登半島地震の支援",
    en="Noto relief",
    words=["能登半島地震", "能登"],
    says_ja="仮設住宅を支えます。",
    goal=1_000,
    first=TODAY,
    last=TODAY + timedelta(days=30),
)


async def test_its_words_lead_to_it_and_its_sum_follows_the_money(quick_bot: Bot) -> None:
    bot = quick_bot
    await bot.service.appeals.keep(AOIS, NOTO)
    await bot.say("能登半島地震に 800円寄付したい")
    asked = str((await bot.sent("reply/"))[-1].body)
    assert "仮設住宅を支えます。" in asked
    assert "能登半島地震の支援に800円を寄付しますか" in asked
    await bot.say("500", "はい")
    (donation,) = await bot.donations()
    assert (donation.prefecture, donation.recipient_ja, donation.amount) == ("APPEAL-NOTO", "能登半島地震の支援", 500)
    await bot.pay(donation)
    await bot.work()
    assert "能登半島地震の支援" in str((await bot.sent("thanks/"))[0].body)
    (raised,) = await bot.service.appeals.raised()
    assert (raised.amount, raised.count, raised.percent) == (500, 1, 50)
    check = await bot.service.reports.check(TODAY)
    assert check.agrees
    assert (check.stored.amount, check.stored.ranking) == (500, []), "it is in the totals, and no prefecture"
    assert await bot.service.mine.stamps(Donor(AOI)) == {}
    for path in ("", "ranking", "screen", f"u/{bot.service.links.my_token(AOI)}"):
        page = await bot.client.get(f"/chiipochi/{path}")
        assert page.status == 200, path
    assert "能登半島地震の支援" in page.text
    for words in ("履歴", "スタンプ", "ランキング", "年間まとめ", "寄付したい"):
        await bot.say(words)
    assert "能登半島地震" in str((await bot.sent("reply/"))[-1].body), "and is offered first"
    await bot.service.details.keep(Donor(AOI), "青木 葵", "千葉市")
    assert (await bot.service.receipts.issue_year(Donor(AOI), 2025)).lines[0]["ja"] == "能登半島地震の支援"
    assert await bot.service.books.take_over() == 1
    assert (await bot.service.books.month(AOIS, "2025-08")).lines[0].recipient == "APPEAL-NOTO"
    await bot.service.refunds.refund(AOIS, AOI, donation.created_at)
    await bot.work()
    (raised,) = await bot.service.appeals.raised()
    assert (raised.amount, raised.count) == (0, 0)
    assert (await bot.client.get("/chiipochi/operator", follow=True)).status == 200


async def test_after_its_last_day_nobody_is_asked_for_it(quick_bot: Bot) -> None:
    await quick_bot.service.appeals.keep(AOIS, NOTO)
    await quick_bot.say("能登")
    quick_bot.clock.advance(31 * 24 * 3600)
    await quick_bot.say("はい", "能登")
    assert await quick_bot.donations() == []
    assert "能登半島地震の支援に" not in str((await quick_bot.sent("reply/"))[-1].body)
    assert await quick_bot.service.appeals.raised() == []


async def test_each_change_is_on_record_and_nobody_overwrites_another(quick_bot: Bot) -> None:
    appeals = quick_bot.service.appeals
    await appeals.keep(AOIS, NOTO)
    quick_bot.clock.advance(1)
    changed = replace(NOTO, goal=5_000, words=["能登"], version=1)
    await appeals.keep(Operator("demo-ren"), changed)
    await appeals.keep(Operator("demo-ren"), replace(changed, version=2))
    for stale in (NOTO, changed):
        with pytest.raises(Conflict):
            await appeals.keep(AOIS, stale)
    newest, first = await appeals.changes(AOIS)
    assert (newest.by, newest.changes) == ("demo-ren", ["words: 能登半島地震, 能登 → 能登", "goal: 1000 → 5000"])
    assert (first.by, len(first.changes)) == ("demo-aoi", 7)


@pytest.mark.parametrize(
    "wrong",
    [
        {"code": "n"},
        {"ja": " "},
        {"words": []},
        {"words": ["x"]},
        {"goal": 0},
        {"amounts": [50]},
        {"amounts": [500, 300]},
        {"amounts": [100, 200, 300, 400, 500]},
        {"says_ja": "x" * 301},
        {"last": TODAY - timedelta(days=1)},
    ],
)
async def test_an_appeal_that_makes_no_sense_is_refused(quick_bot: Bot, wrong: dict[str, object]) -> None:
    with pytest.raises(BadAppeal):
        await quick_bot.service.appeals.keep(AOIS, replace(NOTO, **wrong))
    assert await quick_bot.service.appeals.raised(only_open=False) == []


async def test_it_offers_its_own_sums(quick_bot: Bot) -> None:
    await quick_bot.service.appeals.keep(AOIS, replace(NOTO, amounts=[1_000, 3_000, 10_000]))
    await quick_bot.say("能登に寄付したい")
    asked = str((await quick_bot.sent("reply/"))[-1].body)
    assert "能登半島地震の支援に1,000円を寄付しますか" in asked
    assert "3,000円にする" in asked
    assert '"300円にする' not in asked
    await quick_bot.say("ピーナッツ")
    assert "千葉県に100円を寄付しますか" in str((await quick_bot.sent("reply/"))[-1].body), (
        "prefectures keep the usual ones"
    )


async def test_a_monthly_gift_to_an_appeal_ends_with_it(quick_bot: Bot) -> None:
    bot = quick_bot
    await bot.service.appeals.keep(AOIS, replace(NOTO, monthly=True, last=TODAY + timedelta(days=40)))
    await bot.say("毎月 能登 500", "はい")
    pledge = await bot.service.mine.pledge(Donor(AOI))
    assert pledge is not None
    assert (pledge.prefecture, pledge.amount, pledge.recipient_ja) == ("APPEAL-NOTO", 500, "能登半島地震の支援")
    assert await bot.donations() == [], "a pledge is a promise, no donation yet"
    mine = (await bot.client.get(f"/chiipochi/u/{bot.service.links.my_token(AOI)}")).text
    assert "能登半島地震の支援へ 500 円（20日）" in mine
    bot.clock.advance(31 * 24 * 3600)
    assert await bot.service.pledges.ask_all() == 1
    (donation,) = await bot.donations()
    assert (donation.prefecture, donation.recipient_ja, donation.amount) == ("APPEAL-NOTO", "能登半島地震の支援", 500)
    bot.clock.advance(31 * 24 * 3600)
    assert await bot.service.pledges.ask_all() == 0, "the appeal is over"
    assert await bot.service.mine.pledge(Donor(AOI)) is None
    (told,) = await bot.sent("pledge-over/")
    assert "毎月の寄付も終わりにしました" in str(told.body)
    assert len(await bot.donations()) == 1


async def test_an_appeal_for_single_gifts_says_so(quick_bot: Bot) -> None:
    await quick_bot.service.appeals.keep(AOIS, NOTO)
    await quick_bot.say("毎月 能登 500")
    assert "1回ごとの寄付" in str((await quick_bot.sent("reply/"))[-1].body)
    await quick_bot.say("はい")
    assert await quick_bot.service.mine.pledge(Donor(AOI)) is None
    assert await quick_bot.donations() == []


# Operators change the bot's words and sums; what is said about money stays ours.


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


async def test_each_change_of_words_is_on_record_and_none_overwrites_another(quick_bot: Bot) -> None:
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
