"""The menu under the chat, as LINE's rich menu object: six areas on a picture of 2500 × 1686."""

from __future__ import annotations

from typing import Any

WIDTH, HEIGHT = 2_500, 1_686
_LABELS = (
    ("寄付する", "ピーナッツ"),
    ("今日の合計", "今日の合計"),
    ("ランキング", "ランキング"),
    ("スタンプ", "スタンプ"),
    ("履歴", "履歴"),
    ("ヘルプ", "ヘルプ"),
)


def _area(place: int, label: str, text: str) -> dict[str, Any]:
    column, row = place % 3, place // 3
    left, right = WIDTH * column // 3, WIDTH * (column + 1) // 3
    return {
        "bounds": {"x": left, "y": HEIGHT // 2 * row, "width": right - left, "height": HEIGHT // 2},
        "action": {"type": "message", "label": label, "text": text},
    }


RICH_MENU: dict[str, Any] = {
    "size": {"width": WIDTH, "height": HEIGHT},
    "selected": True,
    "name": "chiipochi main",
    "chatBarText": "メニュー",
    "areas": [_area(place, label, text) for place, (label, text) in enumerate(_LABELS)],
}
