"""Imports on their page: first what would happen, then that."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.boards import trello
from tests.systems.tasks.pages.site import new_team, sent_file


async def test_a_preview_then_the_tasks(client: Client) -> None:
    team = await new_team(client)
    shown = await sent_file(client, f"{team}/imports", trello())
    assert shown.status == 200
    assert "3件を追加します。" in shown.text
    assert "アーカイブ済みのカード 2件" in shown.text
    assert "水道の連絡" not in (await client.get(team)).text
    board = re.search(r'name="board" value="([^"]+)"', shown.text)
    assert board is not None
    begun = await client.post(f"{team}/imports/confirm", {"board": board[1]})
    under_way = await client.get(begun.location)
    assert "3件中 0件が済みました。" in under_way.text
    assert '<progress max="3" value="0"' in under_way.text
    await client.work()
    assert "3件を追加しました。" in (await client.get(begun.location)).text
    assert "この読み込みの記録はありません。" in (await client.get(f"{team}/imports/none")).text
    again = await sent_file(client, f"{team}/imports", trello())
    assert "3件は以前に追加済みです。" in again.text
    assert "追加するものはありません。" in again.text


async def test_a_file_that_is_none_gets_a_sentence(client: Client) -> None:
    team = await new_team(client)
    reply = await sent_file(client, f"{team}/imports", b"nothing of the kind")
    assert reply.status == 422
    assert "Vikunja の書き出しでもありません" in reply.text
    for forged in ("", "x", "eJwDAAAAAAE=", "eJyrrgUAAXUA+Q=="):
        told = await client.post(f"{team}/imports/confirm", {"board": forged}, follow=True)
        assert "Vikunja の書き出しでもありません" in told.text
