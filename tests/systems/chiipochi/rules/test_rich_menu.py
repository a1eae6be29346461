"""The menu under the chat."""

from __future__ import annotations

import linebot.v3.messaging as sdk
import pytest

from sekkei_systems.chiipochi.rules.rich_menu import rich_menu
from sekkei_systems.chiipochi.texts import LANGUAGES, Language
from tests.systems.chiipochi.sdk import same


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_own_sdk_reads_our_rich_menu(language: Language) -> None:
    menu = rich_menu(language)
    request = sdk.RichMenuRequest.from_dict(menu)
    assert request is not None
    same(menu, request.to_dict())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_areas_cover_the_picture(language: Language) -> None:
    menu = rich_menu(language)
    size = menu["size"]
    assert 800 <= size["width"] <= 2_500
    assert size["width"] / size["height"] >= 1.45
    assert len(menu["areas"]) <= 20
    assert len(menu["chatBarText"]) <= 14
    assert len(menu["name"]) <= 300
    covered = 0
    for area in menu["areas"]:
        bounds = area["bounds"]
        assert bounds["x"] + bounds["width"] <= size["width"]
        assert bounds["y"] + bounds["height"] <= size["height"]
        covered += bounds["width"] * bounds["height"]
    assert covered == size["width"] * size["height"]
