"""How a word finds its prefecture."""

from __future__ import annotations

import itertools

import pytest

from sekkei_systems.chiipochi.rules.prefectures import BY_ISO, PREFECTURES, code_of, find, normalised, pending_text

CHIBA, OKINAWA = PREFECTURES["CHIBA"], PREFECTURES["OKINAWA"]


def test_all_prefectures_can_be_found_by_every_speciality() -> None:
    assert len(PREFECTURES) == 47
    assert BY_ISO["JP-12"] is CHIBA
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
