"""What every page of a team shows: names and texts of people, as they are now and never as markup."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


async def test_texts_of_people_never_become_markup(client: Client) -> None:
    made = await client.post("/tasks/teams", {"name": "<script>alert(1)</script>"})
    team = made.location
    await client.post(f"{team}/tags", {"name": "<i>t</i>", "color": "#000000"})
    await new_task(client, team, title="<img src=x onerror=alert(1)>", description="</textarea><script>")
    for path in ("", "/tasks", "/settings", "/late", "/burndown"):
        text = (await client.get(team + path)).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<i>t</i>" not in text


async def test_a_renamed_account_is_renamed_in_its_teams(client: Client) -> None:
    team = await new_team(client)
    await client.post("/account/name", {"name": "佐藤 あおい"})
    await client.get("/tasks/")
    await client.work()
    assert "佐藤 あおい" in (await client.get(f"{team}/settings")).text
