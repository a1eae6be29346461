"""The menu under the chat, as LINE's rich menu object: six areas on a picture of 2500 × 1686."""

from __future__ import annotations

from typing import Any

from sekkei_systems.chiipochi.texts import Language, say

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
