"""The menu's picture."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from sekkei_systems.chiipochi.ports.line.rich_menu_picture import (
    ACCENT,
    LABEL_HEIGHT,
    LABEL_WIDTH,
    PICTURE_BYTES_MAX,
    labels_file,
    labels_wanted,
    picture,
)
from sekkei_systems.chiipochi.rules.rich_menu import AREAS, rich_menu
from sekkei_systems.chiipochi.texts import LANGUAGES, Language


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
