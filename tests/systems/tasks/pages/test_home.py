"""My work and my teams."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


async def test_my_work_and_my_teams(client: Client) -> None:
    assert "まだチームがありません" in (await client.get("/tasks/")).text
    team = await new_team(client)
    await new_task(client, team, title="私の仕事", assignee="demo-aoi")
    shown = (await client.get("/tasks/")).text
    assert "私の仕事" in shown
    assert "残り1件" in shown


async def test_a_team_without_a_name_is_refused_and_what_was_typed_stays(client: Client) -> None:
    reply = await client.post("/tasks/teams", {"name": "", "description": "残る説明"})
    assert reply.status == 422
    assert "残る説明" in reply.text
    assert "まだチームがありません" in (await client.get("/tasks/")).text
