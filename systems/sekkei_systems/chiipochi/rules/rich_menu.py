"""The menu under the chat, as LINE's rich menu object: six areas on a picture of 2500 × 1686."""

from __future__ import annotations

from typing import Any

from sekkei_systems.chiipochi.texts.sayings import Language

WIDTH, HEIGHT = 2_500, 1_686
COLUMNS, ROWS = 3, 2
NAME = "chiipochi"
"""How our menus are called at LINE, so that nobody else's is touched."""

AREAS: tuple[tuple[str, dict[Language, tuple[str, str]]], ...] = (
    ("donate", {"ja": ("寄付する", "ピーナッツ"), "en": ("Donate", "peanuts")}),
    ("today", {"ja": ("今日の合計", "今日の合計"), "en": ("My total", "today")}),
    ("ranking", {"ja": ("ランキング", "ランキング"), "en": ("Ranking", "ranking")}),
    ("stamps", {"ja": ("スタンプ", "スタンプ"), "en": ("Stamps", "stamps")}),
    ("history", {"ja": ("履歴", "履歴"), "en": ("History", "history")}),
    ("help", {"ja": ("ヘルプ", "ヘルプ"), "en": ("Help", "help")}),
)
"""Icon, and in each language its label and what it says when it is tapped."""


def rich_menu(language: Language) -> dict[str, Any]:
    return {
        "size": {"width": WIDTH, "height": HEIGHT},
        "selected": True,
        "name": f"{NAME} {language}",
        "chatBarText": "メニュー" if language == "ja" else "Menu",
        "areas": [_area(place, *said[language]) for place, (_, said) in enumerate(AREAS)],
    }


def bounds(place: int) -> dict[str, int]:
    """Where an area is on the picture; together they cover all of it."""
    column, row = place % COLUMNS, place // COLUMNS
    left, right = WIDTH * column // COLUMNS, WIDTH * (column + 1) // COLUMNS
    return {"x": left, "y": HEIGHT // ROWS * row, "width": right - left, "height": HEIGHT // ROWS}


def _area(place: int, label: str, text: str) -> dict[str, Any]:
    return {"bounds": bounds(place), "action": {"type": "message", "label": label, "text": text}}
