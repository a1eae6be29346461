"""How the documents of the five systems tell what the original design has from what was added to it."""

from __future__ import annotations

from sekkei.design import Marking

ADDED = {
    "ja": Marking(
        "追加", "「追加」は元の設計書にない項目です。", "元の設計のテーブル: {count}", "追加したテーブル: {count}"
    ),
    "en": Marking(
        "added",
        "“added” marks what the original design does not have.",
        "Tables of the original design: {count}",
        "Added tables: {count}",
    ),
}
