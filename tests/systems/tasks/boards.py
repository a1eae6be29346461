"""Files as Trello and Vikunja write them, with what tests need in them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import orjson

TRELLO: dict[str, Any] = {
    "id": "b1",
    "name": "引っ越し",
    "lists": [
        {"id": "l1", "name": "やること", "closed": False, "pos": 1},
        {"id": "l2", "name": "In Progress", "closed": False, "pos": 2},
        {"id": "l3", "name": "完了", "closed": False, "pos": 3},
        {"id": "l4", "name": "古い", "closed": True, "pos": 4},
    ],
    "labels": [{"id": "g1", "name": "急ぎ", "color": "red"}, {"id": "g2", "name": "", "color": "green"}],
    "members": [{"id": "m1", "fullName": "Ren", "username": "ren"}, {"id": "m2", "fullName": "Nobody Here"}],
    "checklists": [
        {
            "id": "k1",
            "idCard": "c1",
            "pos": 1,
            "checkItems": [
                {"name": "大きい箱", "state": "incomplete", "pos": 2},
                {"name": "小さい箱", "state": "complete", "pos": 1},
            ],
        }
    ],
    "cards": [
        {
            "id": "c1", "name": "段ボールを買う", "desc": "**20枚**", "idList": "l1", "pos": 2, "closed": False,
            "due": "2025-11-10T15:00:00.000Z", "start": "2025-11-05T15:00:00.000Z", "dueComplete": False,
            "idLabels": ["g1", "g2"], "idMembers": ["m2", "m1"], "attachments": [{"id": "a1"}],
        },
        {"id": "c2", "name": "水道の連絡", "desc": "", "idList": "l2", "pos": 1, "closed": False, "due": None},
        {"id": "c3", "name": "鍵を返す", "idList": "l3", "pos": 3, "closed": False},
        {"id": "c4", "name": "しまったもの", "idList": "l1", "pos": 4, "closed": True},
        {"id": "c5", "name": "古い列のもの", "idList": "l4", "pos": 5, "closed": False},
        {"id": "c6", "name": "  ", "idList": "l1", "pos": 6, "closed": False},
    ],
    "actions": [{"type": "commentCard"}, {"type": "updateCard"}],
}  # fmt: skip

VIKUNJA: list[dict[str, Any]] = [
    {
        "id": 1,
        "title": "Inbox",
        "buckets": [{"id": 7, "title": "Doing"}],
        "tasks": [
            {
                "id": 11, "title": "Write report", "description": "<p>One &amp; two</p><ul><li>three</li></ul>",
                "done": False, "due_date": "2025-12-01T03:00:00Z", "start_date": "0001-01-01T00:00:00Z",
                "end_date": "0001-01-01T00:00:00Z", "priority": 4, "bucket_id": 7,
                "labels": [{"id": 3, "title": "office", "hex_color": "e8e8e8"}],
                "assignees": [{"username": "ren", "name": "Ren"}], "comments": [{"comment": "hm"}], "repeat_after": 60,
                "related_tasks": {"subtask": [{"id": 12}]}, "attachments": None,
            },
            {"id": 12, "title": "Old one", "done": True, "priority": 0, "labels": None},
        ],
    },
    {"id": 2, "title": "Archive", "is_archived": True, "tasks": [{"id": 13, "title": "gone"}]},
]  # fmt: skip


def trello(**more: Any) -> bytes:
    return orjson.dumps({**TRELLO, **more})


def vikunja() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("VERSION", "v0.24.0")
        archive.writestr("data.json", orjson.dumps(VIKUNJA))
    return out.getvalue()
