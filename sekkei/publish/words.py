"""The fixed words of a design document, in Japanese and English."""

from __future__ import annotations

from typing import Literal

Language = Literal["ja", "en"]

_WORDS: dict[str, tuple[str, str]] = {
    "made_from_code": (
        "この文書は設計コードから生成されています。直接編集せず、`sekkei docs {name}` で更新してください。",
        "Made from the design's code. Do not edit it; run `sekkei docs {name}` to renew it.",
    ),
    "added_note": ("「追加」は元の設計書にない項目です。", "“added” marks what the original design does not have."),
    "tables": ("テーブル一覧", "Tables"),
    "table": ("テーブル", "Table"),
    "original_tables": ("元の設計のテーブル: {count}", "Tables of the original design: {count}"),
    "added_tables": ("追加したテーブル: {count}", "Added tables: {count}"),
    "purpose": ("用途", "Purpose"),
    "relations": ("エンティティの関係", "How the entities relate"),
    "patterns": ("アクセスパターン", "Access patterns"),
    "number": ("#", "#"),
    "pattern": ("パターン", "Pattern"),
    "plan": ("実行計画", "Plan"),
    "function": ("関数", "Function"),
    "units": ("実測コスト", "Measured"),
    "not_measured": ("未計測", "not yet"),
    "settings": ("設定", "Settings"),
    "setting": ("項目", "Setting"),
    "value": ("値", "Value"),
    "name_in_store": ("ストア上の名前", "Name in the store"),
    "billing": ("課金", "Billing"),
    "on_demand": ("オンデマンド", "on demand"),
    "provisioned": ("プロビジョンド {read} RCU / {write} WCU", "provisioned, {read} RCU / {write} WCU"),
    "ttl": ("TTL", "Time to live"),
    "stream": ("ストリーム", "Stream"),
    "pitr": ("ポイントインタイムリカバリ", "Point-in-time recovery"),
    "protection": ("削除保護", "Deletion protection"),
    "on": ("有効", "on"),
    "none": ("なし", "none"),
    "entities": ("エンティティ", "Entities"),
    "entity": ("エンティティ", "Entity"),
    "type": ("型", "Type"),
    "kind": ("種別", "Kind"),
    "attributes": ("属性", "Attributes"),
    "attribute": ("属性", "Attribute"),
    "form": ("形式", "Form"),
    "meaning": ("説明", "Meaning"),
    "required": ("必須", "Required"),
    "yes": ("○", "yes"),
    "no": ("-", "no"),
    "key": ("キー", "Key"),
    "indexes": ("インデックス", "Indexes"),
    "index": ("インデックス", "Index"),
    "projection": ("射影", "Projection"),
    "local": ("ローカル", "local"),
    "added": ("追加", "added"),
    "uniques": ("一意制約", "Uniqueness"),
    "unique": ("一意な値", "Unique value"),
    "markers_in": ("目印の置き場所", "Markers in"),
    "examples": ("アイテム例", "Example items"),
    "operation": ("操作", "operation"),
    "condition": ("条件", "condition"),
    "filter": ("フィルタ", "filter"),
    "changes": ("更新", "changes"),
    "consistency": ("整合性", "consistency"),
    "strong": ("強い整合性", "strong"),
    "eventual": ("結果整合性", "eventual"),
    "page": ("ページ", "page"),
    "items": ("{count} 件", "{count} items"),
    "backwards": ("降順", "last sort key first"),
    "scan": ("スキャン: {reason}", "scan, because {reason}"),
    "key_condition": ("キー", "key"),
    "computed": ("計算", "computed"),
    "key_part": ("キーの一部", "part of the key"),
}


class Words:
    """One language's words: `words("tables")`, `words("items", count=3)`."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._at = 0 if language == "ja" else 1

    def __call__(self, key: str, **values: object) -> str:
        return _WORDS[key][self._at].format(**values)

    def of(self, thing: object) -> str:
        """What a table, entity, attribute, index or pattern says of itself in this language, or else in the other."""
        ja, en = getattr(thing, "ja", ""), getattr(thing, "en", "")
        return str((ja or en) if self.language == "ja" else (en or ja))
