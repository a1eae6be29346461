"""Names that nobody may take, and names that only look different."""

from __future__ import annotations

import pytest

from sekkei_systems.q.rules.names import is_reserved, skeleton, skeletons


@pytest.mark.parametrize(
    "name",
    [
        "admin",
        "Q_official",
        "q.official",
        "0fficia1",
        "аdmin",
        "ＡＤＭＩＮ",
        "Ｑ",
        "Q運営",
        "公式アカウント",
        "staff-2",
        "admin1",
        "Official2026",
        "AdminTeam",
        "QSupport",
        "adrnin",
        "a\u200bdmin",
        "a\u0301dmin",
        "admın",
        "ᴀᴅᴍɪɴ",
        "🅰🅳🅼🅸🅽",
        "🇦🇩🇲🇮🇳",
        "Ꭺdmiո",
        "運營",
        "サポート",
        "ｻﾎﾟｰﾄ",
        "サポ一ト",
        "サポ―ト",
        "Q うんえい",
        "管理入",
        "m〇derat〇r",
        "サポート担当",
        "Q. スタッフ一同",
        "サポートチーム",
        "Q.からのお知らせ",
    ],
)
def test_names_that_speak_for_q(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    [
        "aoi",
        "minato",
        "qiao",
        "officially_late",
        "badminton",
        "モデラート",
        "公園",
        "system_of_a_sound",
        "StaffordLee",
        "Supporter",
        "qstar",
        "Modena",
        "🅰型",
        "🇯🇵葵",
        "一郎",
        "二口 力",
        "サポ",
        "スタップ",
        "工藤",
        "うんめい",
        "あおい-さん",
        "サポーターズ",
        "担当",
    ],
)
def test_names_of_people(name: str) -> None:
    assert not is_reserved(name)


def test_one_skeleton_for_what_looks_alike() -> None:
    assert len({skeleton(name) for name in ("Aoi Sato", "aoi  sato", "A0i-Sat0", "Αοi Sаtо", "ａｏｉ　ｓａｔｏ")}) == 1
    assert skeleton("Aoi Sato") != skeleton("Aoi Saito")


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("サトー", ("サト一", "サト―", "サト-", "サト－", "サト─", "ｻﾄｰ", "さとー", "サ卜ー", "サ ト ー")),
        ("エリカ", ("工リ力", "ｴﾘｶ", "エリヵ", "えりか")),
        ("ハニタロ", ("八二夕口", "ハニ夕囗", "ﾊﾆﾀﾛ")),
        ("へいた", ("ヘイタ", "ﾍｲﾀ", "へぃた", "へ-いた")),
        ("髙橋 士郎", ("高橋 土郎", "高橋‐土郎")),
        ("佐藤 真", ("佐籐 真", "佐藤 眞")),
    ],
)
def test_kana_and_kanji_that_look_alike(name: str, alike: tuple[str, ...]) -> None:
    assert [other for other in alike if not skeletons(name) & skeletons(other)] == []


def test_other_names_stay_others() -> None:
    for one, other in (("サト", "サトー"), ("郎", "一郎"), ("はる", "ばる"), ("さとう", "さいとう"), ("みか", "みき")):
        assert not skeletons(one) & skeletons(other), (one, other)
