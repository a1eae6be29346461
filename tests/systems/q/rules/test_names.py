"""Names that nobody may take, and names that only look different."""

from __future__ import annotations

import pytest

from sekkei_systems.q.rules.names import is_reserved, skeleton


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
    ],
)
def test_names_of_people(name: str) -> None:
    assert not is_reserved(name)


def test_one_skeleton_for_what_looks_alike() -> None:
    assert len({skeleton(name) for name in ("Aoi Sato", "aoi  sato", "A0i-Sat0", "Αοi Sаtо", "ａｏｉ　ｓａｔｏ")}) == 1
    assert skeleton("Aoi Sato") != skeleton("Aoi Saito")
