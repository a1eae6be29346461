"""Files out and in, and the calendar's address."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.boards import trello
from tests.systems.tasks.pages.site import new_task, new_team, sent_file, upload


async def test_files_go_out_and_come_in(client: Client) -> None:
    team = await new_team(client)
    assert "2件を追加しました。" in await upload(client, team, "タイトル\nい\nろ\n".encode())
    exported = await client.get(f"{team}/export.csv")
    assert exported.body.startswith(b"\xef\xbb\xbf")
    assert "attachment" in (exported.header("content-disposition") or "")
    assert "4 行目" not in await upload(client, team, exported.body)
    assert "3 行目" in await upload(client, team, "タイトル,開始日\nは,\nに,2025-02-30\n".encode())
    totals = await client.json("GET", f"{team.replace('/tasks/', '/tasks/api/', 1)}/totals")
    assert totals.json()["todo"] == 4


async def test_a_calendar_address_ends_with_its_renewal(client: Client) -> None:
    team = await new_team(client)
    await new_task(client, team, end="2025-11-07")
    found = re.search(r"http://[^<]+(/tasks/calendar/[^<]+\.ics)", (await client.get(f"{team}/settings")).text)
    assert found is not None
    stranger = client.another()
    feed = await stranger.get(found[1])
    assert (feed.status, feed.header("content-type")) == (200, "text/calendar; charset=utf-8")
    assert "SUMMARY:仕事" in feed.text
    assert (await stranger.get(found[1].replace(".ics", "0.ics"))).status == 404
    await client.post(f"{team}/calendar")
    assert (await stranger.get(found[1])).status == 404


async def test_a_file_carries_what_is_part_of_what(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="親")
    await client.post(f"{task}/subtasks", {"text": "子"})
    exported = (await client.get(f"{team}/export.csv")).body
    assert "TASK-2,TASK-1" in exported.decode("utf-8-sig")
    await upload(client, team, exported)
    await upload(client, team, "title,parent\n孫,task-1\n迷い,TASK-99\n".encode())
    parents = {}
    for number in (4, 5, 6):
        page = (await client.get(f"{team}/n/{number}", follow=True)).text
        found = re.search(r'class="task-parent"[^>]*>([^<]+)<', page)
        title = re.search(r"<h1[^>]*>([^<]+)<", page)
        assert title is not None
        parents[title[1]] = found and found[1]
    assert parents == {"子": "TASK-3", "孫": "TASK-1", "迷い": None}


# Imports on their page: first what would happen, then that.


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
