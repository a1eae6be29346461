"""A stream as decoded changes."""

from __future__ import annotations

import re

from sekkei.web.testing import opened
from tests.web.example import SYSTEM
from tests.web.example.design import Note, notes

CHANGES = "/console/tables/example-notes/changes"


async def test_changes_of_a_table_of_an_item_and_what_came_since() -> None:
    async with opened(SYSTEM) as client:
        db = client.shell.deployment.systems["example"].context.db
        for id in ("1", "2"):
            await db.write(notes.create(Note(owner="mei", id=id, text="milk")))
        await db.write(notes.update("mei", "1").set(Note.text, "<b>eggs</b>"))
        shown = (await client.get(CHANGES)).text
        assert shown.index("変更</span>") < shown.index("作成</span>"), "the newest first"
        assert "&lt;b&gt;eggs&lt;/b&gt;" in shown
        assert shown.count('class="card change"') == 3
        of_one = (await client.get(f"{CHANGES}?key=OWNER%23mei&sort=NOTE%231")).text
        assert of_one.count('class="card change"') == 2
        assert (await client.get(f"{CHANGES}?kind=MODIFY")).text.count('class="card change"') == 1
        since = re.search(r'data-after="([^"]+)"', shown)
        assert since is not None
        await db.write(notes.delete("mei", "2"))
        newer = (await client.get(since[1].replace("&amp;", "&"))).text
        assert newer.count('class="card change"') == 1
        assert "削除</span>" in newer
        assert (await client.get(f"{CHANGES}?after=forged")).status == 400


async def test_a_table_without_a_stream_or_no_table() -> None:
    async with opened(SYSTEM) as client:
        assert "ストリームがない" in (await client.get("/console/tables/sekkei-web/changes")).text
        assert (await client.get("/console/tables/nothing/changes")).status == 404
