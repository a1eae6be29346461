"""The trash's page."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


async def test_a_deleted_task_is_in_the_trash_and_comes_back(client: Client) -> None:
    team = await new_team(client)
    task = await new_task(client, team, title="うっかり")
    await client.post(f"{task}/delete")
    assert (await client.get(task)).status == 404
    assert "うっかり" not in (await client.get(team)).text
    shown = (await client.get(f"{team}/trash")).text
    assert "うっかり" in shown
    assert "&lt;time" not in shown, "the moment is words, not markup"
    back = task.replace("/tasks/", "/trash/").replace("/trash/", "/tasks/", 1)
    assert (await client.post(f"{back}/back")).location == task
    assert "うっかり" in (await client.get(task)).text
    await client.post(f"{task}/delete")
    await client.post(f"{back}/purge")
    assert "ゴミ箱は空です" in (await client.get(f"{team}/trash")).text
