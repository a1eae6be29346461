from __future__ import annotations

TEXTS = {
    "notes.title": {"ja": "メモ", "en": "Notes"},
    "notes.text": {"ja": "内容", "en": "Text"},
    "notes.count": {"ja": "{n} 件", "en": {"one": "{n} note", "other": "{n} notes"}},
    "notes.made": {"ja": "書きました。", "en": "Written down."},
}
