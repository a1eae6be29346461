"""Whom a donation is for."""

from __future__ import annotations

import itertools

import orjson
import pytest

from sekkei_systems.chiipochi.design import state
from sekkei_systems.chiipochi.rules.recipients import (
    PREFECTURES,
    REGIONS,
    code_of,
    find,
    normalised,
    pending_text,
    recipient_name,
)
from tests.systems.chiipochi.conftest import AOI, Bot


def test_a_prefecture_by_its_code() -> None:
    assert (recipient_name("CHIBA", "ja"), recipient_name("CHIBA", "en")) == ("千葉県", "Chiba")
    assert recipient_name("ATLANTIS", "ja") == "ATLANTIS", "what nobody knows any more keeps its code"


# How a word finds its prefecture.


CHIBA, OKINAWA = PREFECTURES["CHIBA"], PREFECTURES["OKINAWA"]


def test_all_prefectures_can_be_found_by_every_speciality() -> None:
    assert len(PREFECTURES) == 47
    assert CHIBA.iso == "JP-12"
    for prefecture in PREFECTURES.values():
        assert len(prefecture.specialities) >= 6
        assert find(prefecture.full) == (prefecture,)
        assert find(prefecture.en) == (prefecture,)
        for spelling in itertools.chain(*prefecture.specialities):
            assert prefecture in find(spelling), spelling


@pytest.mark.parametrize(
    ("typed", "codes"),
    [
        ("たこやき", {"OSAKA"}),
        ("辛子蓮根", {"KUMAMOTO"}),
        ("Peanuts", {"CHIBA"}),
        ("peanut!", {"CHIBA"}),
        ("Ｓｅａ Ｕｒｃｈｉｎ", {"HOKKAIDO", "IWATE"}),
        ("餃子", {"FUKUSHIMA", "TOCHIGI", "SHIZUOKA", "MIYAZAKI"}),
        ("千葉の落花生が好き", {"CHIBA"}),
        ("浜松餃子", {"SHIZUOKA"}),
        ("team", set()),
        ("steamed", set()),
    ],
)
def test_a_speciality_is_found_however_it_is_spelled(typed: str, codes: set[str]) -> None:
    assert {found.code for found in find(typed)} == codes


def test_no_spelling_stands_twice_under_one_prefecture() -> None:
    for prefecture in PREFECTURES.values():
        firsts = [spellings[0] for spellings in prefecture.specialities]
        assert len(firsts) == len(set(firsts)), prefecture.code


def test_the_state_spells_a_prefecture_as_the_document_does() -> None:
    assert pending_text("CHIBA") == "CHIBA_pending"
    assert code_of("CHIBA_pending") == "CHIBA"
    assert normalised("ﾋﾟｰﾅｯﾂ 🥜") == normalised("ぴーなっつ")


CAPITALS = (  # in the order of the prefectures
    "札幌 青森 盛岡 仙台 秋田 山形 福島 水戸 宇都宮 前橋 さいたま 千葉 "
    "新宿 横浜 新潟 富山 金沢 福井 甲府 長野 岐阜 静岡 名古屋 津 "
    "大津 京都 大阪 神戸 奈良 和歌山 鳥取 松江 岡山 広島 山口 徳島 "
    "高松 松山 高知 福岡 佐賀 長崎 熊本 大分 宮崎 鹿児島 那覇 "
)


def test_every_capital_is_understood() -> None:
    for prefecture, capital in zip(PREFECTURES.values(), CAPITALS.split(), strict=True):
        assert find(capital) == (prefecture,), capital
        assert find(f"{capital}市") == (prefecture,) or capital == "新宿", capital


def test_every_prefecture_is_understood_in_kana_and_inside_no_other_word() -> None:
    assert find("とうきょう")[0].code == "TOKYO"
    assert find("オオサカ")[0].code == "OSAKA"
    assert all(prefecture.other_names for prefecture in PREFECTURES.values())
    assert find("あいちゃん") == ()
    assert find("津軽") == () or find("津軽")[0].code == "AOMORI"


# From regions to prefectures to specialities, by taps alone.


def test_every_region_fits_under_a_message() -> None:
    assert len(REGIONS) <= 13
    assert all(1 <= len(codes) <= 13 for codes in REGIONS.values())


async def test_a_donation_by_taps_alone(quick_bot: Bot) -> None:
    await quick_bot.say("寄付する")
    for wanted in ("東北", "青森県", "りんご"):
        (message,) = orjson.loads(await quick_bot.last_words())
        actions = [item["action"] for item in message["quickReply"]["items"]]
        (tapped,) = [action for action in actions if action["label"] == wanted]
        quick_bot.clock.advance(1)
        await quick_bot.deliver(quick_bot.tap(tapped["data"]))
    found = await quick_bot.db.need(state(AOI))
    assert found.awaiting_confirmation == "AOMORI_pending", "though others are known for apples too"
