"""One parser for amounts: whatever people type for a sum of yen, in whatever place of a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei_systems.chiipochi.rules.amounts import Malformed, read
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN, Ask, Incoming, Say, decide
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from tests.systems.chiipochi.rules.test_conversation import CHIBA, NOW, OKINAWA, text

FULL_WIDTH = str.maketrans("0123456789,", "０１２３４５６７８９，")
DIGITS = "〇一二三四五六七八九"


def kanji(number: int) -> str:
    """A number below a hundred million as it is written with kanji."""

    def below_ten_thousand(part: int) -> str:
        found = ""
        for unit, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
            digit, part = divmod(part, size)
            if digit:
                found += unit if digit == 1 and unit else DIGITS[digit] + unit
        return found

    many, rest = divmod(number, 10_000)
    return (below_ten_thousand(many) + "万" if many else "") + below_ten_thousand(rest)


def mixed(number: int) -> str:
    """2万5千 as people type it; only for what has no smaller digits."""
    many, rest = divmod(number, 10_000)
    thousands, rest = divmod(rest, 1000)
    found = (f"{many}万" if many else "") + (f"{thousands}千" if thousands else "")
    return found + (f"{rest}" if rest else "")


NUMBERS = (str, lambda n: f"{n:,}", lambda n: f"{n}".translate(FULL_WIDTH), lambda n: f"{n:,}".translate(FULL_WIDTH))
MARKED = ("{}円", "¥{}", "￥{}", "{} yen", "{}えん", "¥{}円", "{}円分")
ENDINGS = (
    "",
    "お願いします",
    " お願いします！",
    "を寄付します",
    "で",
    "寄付したいです",
    "ください。",
    "、よろしくお願いします",
)
WORDS = ("ピーナッツ", "千葉県", "千葉", "chiba", "ちば", "落花生")
ORDERS = (
    "{word} {sum}",
    "{word}{sum}",
    "{word}に{sum}",
    "{word}へ {sum}",
    "{word}、{sum}",
    "{sum}を{word}へ",
    "{sum} {word}に",
)
yen = st.integers(AMOUNT_MIN, AMOUNT_MAX)


@given(yen, st.sampled_from((*NUMBERS, kanji, mixed)), st.sampled_from(MARKED), st.sampled_from(ENDINGS))
def test_every_way_to_write_a_sum(number: int, write: object, mark: str, ending: str) -> None:
    assert callable(write)
    assert read(mark.format(write(number)) + ending).amount == number


@given(
    yen,
    st.sampled_from((*NUMBERS, kanji, mixed)),
    st.sampled_from(MARKED),
    st.sampled_from(ENDINGS),
    st.sampled_from(WORDS),
    st.sampled_from(ORDERS),
)
def test_every_order_of_place_and_sum(
    number: int, write: object, mark: str, ending: str, word: str, order: str
) -> None:
    assert callable(write)
    typed = order.format(word=word, sum=mark.format(write(number))) + ending
    assert text(typed) == Ask(CHIBA, number), typed


@given(yen, st.sampled_from(NUMBERS), st.sampled_from(("{word} {sum}", "{sum} {word}", "{word}　{sum}")))
def test_a_bare_number_beside_a_place(number: int, write: object, order: str) -> None:
    assert callable(write)
    assert text(order.format(word="沖縄", sum=write(number))) == Ask(OKINAWA, number)


@given(st.text(max_size=60))
def test_nothing_that_is_typed_breaks_it_and_no_question_is_out_of_range(typed: str) -> None:
    decision = decide(Incoming("e", "U1", 1, "text", text=typed), None, NOW)
    assert not isinstance(decision, Ask) or AMOUNT_MIN <= decision.amount <= AMOUNT_MAX


@pytest.mark.parametrize(
    ("typed", "code", "amount"),
    [
        ("ピーナッツ 1,500円", "CHIBA", 1_500),
        ("ピーナッツ 500円お願いします", "CHIBA", 500),
        ("石川県に 千円", "ISHIKAWA", 1_000),
        ("500円を沖縄へ", "OKINAWA", 500),
        ("千葉に千円", "CHIBA", 1_000),
        ("三重県に五百円", "MIE", 500),
        ("20世紀梨", "TOTTORI", 100),
        ("551蓬莱 300", "OSAKA", 300),
        ("ピーナッツ 1.5万円", "CHIBA", 15_000),
        ("ピーナッツ 3個", "CHIBA", 100),
        ("donate 500 yen to okinawa please", "OKINAWA", 500),
        ("peanuts ¥300", "CHIBA", 300),
        ("とうきょう", "TOKYO", 100),
        ("おおさかに 300円", "OSAKA", 300),
        ("横浜", "KANAGAWA", 100),
        ("仙台市に1000円寄付したい", "MIYAGI", 1_000),
        ("さっぽろ 500", "HOKKAIDO", 500),
        ("yokohama 500", "KANAGAWA", 500),
        ("ピーナッツ 1、500円", "CHIBA", 1_500),
        ("500ピーナッツ", "CHIBA", 500),
        ("20世紀梨ください", "TOTTORI", 100),
        ("ピーナッツ 五百", "CHIBA", 500),
        ("千五百 ピーナッツ", "CHIBA", 1_500),
        ("ピーナッツ 壱万円", "CHIBA", 10_000),
        ("ピーナッツ 参千円", "CHIBA", 3_000),
        ("ピーナッツ せんごひゃくえん", "CHIBA", 1_500),
        ("せんえん 沖縄", "OKINAWA", 1_000),
        ("沖縄に1000円お願い🙏", "OKINAWA", 1_000),
        ("沖縄に1,000円の寄付をお願いできますか？", "OKINAWA", 1_000),
        ("沖縄に千円送ります", "OKINAWA", 1_000),
        ("寄付したい 沖縄 500円", "OKINAWA", 500),
        ("じゃあ沖縄に500円", "OKINAWA", 500),
        ("JPY 500 Chiba", "CHIBA", 500),
        ("I'd like to give 500 yen to Chiba, please", "CHIBA", 500),
    ],
)
def test_what_people_really_type(typed: str, code: str, amount: int) -> None:
    assert text(typed) == Ask(PREFECTURES[code], amount)


@pytest.mark.parametrize("typed", ["りんご 1,000", "りんごに千円"])
def test_the_sum_goes_along_when_several_prefectures_are_meant(typed: str) -> None:
    decision = text(typed)
    assert getattr(decision, "amount", None) == 1_000


@pytest.mark.parametrize(
    "typed",
    [
        "1,50円",
        "1,5000円",
        "12,34",
        "1.5円",
        "-500円",
        "マイナス500円",
        "300円と500円",
        "0.3千円と1円",
        "百500円",
        "ー500円",
        "▲500円",
        "1 500円",
        "500円を2回",
        "500円×2",
        "百千円",
        "ひゃくせんえん",
        "1、50円",
        "十50円",
    ],
)
def test_a_sum_that_can_mean_two_things_is_no_sum(typed: str) -> None:
    assert isinstance(read(typed).amount, Malformed)
    assert text(f"ピーナッツ {typed}") == Say("out-of-range")


def test_kana_that_can_mean_two_sums_is_asked_again() -> None:
    assert text("沖縄にせんえん") == Say("out-of-range"), "one thousand for Okinawa, or two?"


@pytest.mark.parametrize(
    "typed", ["ピーナッツ 毎月 500円", "ピーナッツを毎月500円", "毎月、ピーナッツに500円", "peanuts 500 every month"]
)
def test_every_month_may_stand_anywhere(typed: str) -> None:
    assert text(typed) == Ask(CHIBA, 500, monthly=True)


@pytest.mark.parametrize("typed", ["毎月ピーナッツ食べてます", "ピーナッツを毎月食べてます"])
def test_who_eats_peanuts_every_month_has_not_promised_anything(typed: str) -> None:
    assert not getattr(text(typed), "monthly", False)


@pytest.mark.parametrize(
    "typed", ["千葉", "三重", "四万十", "八丁味噌", "こんにちは", "十勝", "2025年", "3個", "ピーナッツ 3個", ""]
)
def test_what_is_no_sum(typed: str) -> None:
    assert read(typed).amount is None
