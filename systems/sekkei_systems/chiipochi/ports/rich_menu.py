"""The picture of the rich menu: shapes drawn here, and labels that were drawn once.

Where this runs there may be no Japanese font. So the labels' letters are kept as masks in data/menu-labels-*.png, made
by `sekkei chiipochi labels` with any font; a mask remembers which words it shows, and a test that they are the menu's.
"""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from sekkei_systems.chiipochi.texts import Language, say

# The menu under the chat, as LINE's rich menu object: six areas on a picture of 2500 × 1686.


WIDTH, HEIGHT = 2_500, 1_686
COLUMNS, ROWS = 3, 2
NAME = "chiipochi"
"""How our menus are called at LINE, so that nobody else's is touched."""

AREAS = ("donate", "today", "ranking", "stamps", "history", "help")
"""What can be tapped; each has an icon, a label and what it says, in the texts' [menu]."""


def rich_menu(language: Language) -> dict[str, Any]:
    return {
        "size": {"width": WIDTH, "height": HEIGHT},
        "selected": True,
        "name": f"{NAME} {language}",
        "chatBarText": say(language, "menu.bar"),
        "areas": [_area(place, name, language) for place, name in enumerate(AREAS)],
    }


def bounds(place: int) -> dict[str, int]:
    """Where an area is on the picture; together they cover all of it."""
    column, row = place % COLUMNS, place // COLUMNS
    left, right = WIDTH * column // COLUMNS, WIDTH * (column + 1) // COLUMNS
    return {"x": left, "y": HEIGHT // ROWS * row, "width": right - left, "height": HEIGHT // ROWS}


def label(name: str, language: Language) -> str:
    return say(language, f"menu.{name}")


def _area(place: int, name: str, language: Language) -> dict[str, Any]:
    text = say(language, f"menu.{name}.says")
    return {"bounds": bounds(place), "action": {"type": "message", "label": label(name, language), "text": text}}


PICTURE_BYTES_MAX = 1_000_000
"""LINE takes no larger one."""
ICON, LABEL_WIDTH, LABEL_HEIGHT = 300, 720, 170
_SCALE = 4
"""Shapes are drawn so much larger and made smaller again, which smooths their edges."""
COLOURS = 64
_GROUND, CARD, INK, ACCENT = "#ffeedd", "#ffffff", "#3b2f2a", "#e8743b"
_DATA = Path(__file__).parents[1] / "data"


@functools.cache
def picture(language: Language) -> bytes:
    """A PNG of the size that the menu says."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _GROUND)
    draw = ImageDraw.Draw(image)
    labels = _labels(language)
    for place, icon in enumerate(AREAS):
        box = bounds(place)
        left, top = box["x"], box["y"]
        main = place == 0
        card = (left + 18, top + 18, left + box["width"] - 18, top + box["height"] - 18)
        draw.rounded_rectangle(card, 60, fill=ACCENT if main else CARD)
        middle = left + box["width"] // 2
        ink = CARD if main else ACCENT
        image.paste(ink, (middle - ICON // 2, top + 170), _icon(icon))
        words = labels.crop((0, place * LABEL_HEIGHT, LABEL_WIDTH, (place + 1) * LABEL_HEIGHT))
        image.paste(CARD if main else INK, (middle - LABEL_WIDTH // 2, top + 520), words)
    found = io.BytesIO()
    image.quantize(COLOURS).save(found, "PNG", optimize=True)
    return found.getvalue()


def _labels(language: Language) -> Image.Image:
    with Image.open(labels_file(language)) as found:
        return found.convert("L")


def labels_file(language: Language) -> Path:
    return _DATA / f"menu-labels-{language}.png"


def labels_wanted(language: Language) -> list[str]:
    return [label(name, language) for name in AREAS]


def draw_labels(language: Language, font_path: str, index: int = 0) -> bytes:
    """The menu's words in a font, one below the other, white on black."""
    font = ImageFont.truetype(font_path, 104, index=index)
    mask = Image.new("L", (LABEL_WIDTH, LABEL_HEIGHT * len(AREAS)), 0)
    draw = ImageDraw.Draw(mask)
    for place, words in enumerate(labels_wanted(language)):
        draw.text((LABEL_WIDTH // 2, place * LABEL_HEIGHT + LABEL_HEIGHT // 2), words, 255, font=font, anchor="mm")
    notes = PngInfo()
    notes.add_itxt("labels", "\n".join(labels_wanted(language)))
    found = io.BytesIO()
    mask.quantize(16).save(found, "PNG", optimize=True, pnginfo=notes)
    return found.getvalue()


# The icons, each on a field of 100 × 100


def _icon(name: str) -> Image.Image:
    side = ICON * _SCALE
    mask = Image.new("L", (side, side), 0)
    _ICONS[name](_Pen(ImageDraw.Draw(mask), side / 100))
    return mask.resize((ICON, ICON), Image.Resampling.LANCZOS)


class _Pen:
    """Draws in hundredths of the field; `hole` takes away."""

    def __init__(self, draw: ImageDraw.ImageDraw, unit: float) -> None:
        self._draw, self._unit = draw, unit

    def _box(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        return x * self._unit, y * self._unit, (x + width) * self._unit, (y + height) * self._unit

    def oval(self, x: float, y: float, width: float, height: float, *, hole: bool = False) -> None:
        self._draw.ellipse(self._box(x, y, width, height), fill=0 if hole else 255)

    def block(self, x: float, y: float, width: float, height: float, radius: float = 3, *, hole: bool = False) -> None:
        self._draw.rounded_rectangle(self._box(x, y, width, height), radius * self._unit, fill=0 if hole else 255)

    def line(self, *points: tuple[float, float], width: float = 8, hole: bool = False) -> None:
        scaled = [(x * self._unit, y * self._unit) for x, y in points]
        self._draw.line(scaled, fill=0 if hole else 255, width=round(width * self._unit), joint="curve")
        for x, y in points:  # round ends
            self.oval(x - width / 2, y - width / 2, width, width, hole=hole)

    def arc(self, x: float, y: float, side: float, start: float, end: float, width: float = 8) -> None:
        self._draw.arc(self._box(x, y, side, side), start, end, fill=255, width=round(width * self._unit))


def _paw(pen: _Pen, x: float = 0, y: float = 0, size: float = 1) -> None:
    for left, top, width, height in ((4, 34, 20, 27), (25, 10, 21, 29), (54, 10, 21, 29), (76, 34, 20, 27)):
        pen.oval(x + left * size, y + top * size, width * size, height * size)
    pen.oval(x + 26 * size, y + 44 * size, 48 * size, 42 * size)
    pen.oval(x + 20 * size, y + 62 * size, 32 * size, 28 * size)
    pen.oval(x + 48 * size, y + 62 * size, 32 * size, 28 * size)


def _donate(pen: _Pen) -> None:
    _paw(pen)


def _today(pen: _Pen) -> None:
    pen.oval(6, 6, 88, 88)
    pen.line((33, 24), (50, 48), (67, 24), hole=True)
    pen.line((50, 48), (50, 78), hole=True)
    pen.line((34, 54), (66, 54), width=6, hole=True)
    pen.line((34, 66), (66, 66), width=6, hole=True)


def _ranking(pen: _Pen) -> None:
    pen.block(38, 16, 24, 76)
    pen.block(8, 40, 24, 52)
    pen.block(68, 56, 24, 36)


def _stamps(pen: _Pen) -> None:
    pen.block(8, 8, 84, 84, 16)
    pen.block(15, 15, 70, 70, 11, hole=True)
    _paw(pen, 24, 24, 0.52)


def _history(pen: _Pen) -> None:
    pen.block(14, 6, 72, 88, 10)
    for y in (28, 48, 68):
        pen.oval(25, y - 5, 10, 10, hole=True)
        pen.line((44, y), (74, y), hole=True)


def _help(pen: _Pen) -> None:
    pen.arc(6, 6, 88, 0, 360, 9)
    pen.arc(34, 22, 32, 180, 450, 9)
    pen.oval(34, 33.5, 9, 9)
    pen.line((50, 49.5), (50, 59), width=9)
    pen.oval(44, 67, 12, 12)


_ICONS = {
    "donate": _donate,
    "today": _today,
    "ranking": _ranking,
    "stamps": _stamps,
    "history": _history,
    "help": _help,
}
