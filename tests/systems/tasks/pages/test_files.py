"""Files out and in, and the calendar's address."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team, upload


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
