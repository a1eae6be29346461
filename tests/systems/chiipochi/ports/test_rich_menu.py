"""The menu's picture."""

from __future__ import annotations

import io
from typing import Any

import linebot.v3.messaging as sdk
import pytest
from PIL import Image

from sekkei_systems.chiipochi.ports.rich_menu import (
    ACCENT,
    AREAS,
    LABEL_HEIGHT,
    LABEL_WIDTH,
    PICTURE_BYTES_MAX,
    labels_file,
    labels_wanted,
    picture,
    rich_menu,
)
from sekkei_systems.chiipochi.texts import LANGUAGES, Language
from tests.systems.chiipochi.sdk import same


def _near(one: Any, other: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_is_one_that_line_takes(language: Language) -> None:
    found = picture(language)
    assert len(found) <= PICTURE_BYTES_MAX
    image = Image.open(io.BytesIO(found))
    menu = rich_menu(language)
    assert (image.format, image.size) == ("PNG", (menu["size"]["width"], menu["size"]["height"]))
    colours = image.convert("RGB")
    accent = tuple(bytes.fromhex(ACCENT[1:]))
    for place, area in enumerate(menu["areas"]):
        left, top = area["bounds"]["x"], area["bounds"]["y"]
        icon = colours.crop((left + 250, top + 170, left + 583, top + 470)).getcolors(1 << 24)
        label = colours.crop((left + 60, top + 540, left + 770, top + 670)).getcolors(1 << 24)
        assert icon is not None, AREAS[place][0]
        assert label is not None, AREAS[place][0]
        assert len(icon) > 1, "an icon is drawn"
        assert len(label) > 1, "a label is drawn"
        assert any(_near(colour, accent) for _, colour in icon)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_labels_that_were_drawn_are_the_menus(language: Language) -> None:
    with Image.open(labels_file(language)) as mask:
        assert mask.info["labels"].split("\n") == labels_wanted(language)
        rows = mask.convert("L")
    for place in range(len(AREAS)):
        for edge in (place * LABEL_HEIGHT, (place + 1) * LABEL_HEIGHT - 4):
            assert rows.crop((0, edge, LABEL_WIDTH, edge + 4)).getextrema() == (0, 0), "a letter is cut off"


# The menu under the chat.


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
