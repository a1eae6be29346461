"""What is late."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team


async def test_late_work_stands_under_its_reason(client: Client) -> None:
    team = await new_team(client)
    assert (await client.get(f"{team}/late")).text.count("ありません。順調です。") == 2
    await new_task(client, team, title="遅い", end="2025-01-01", status="doing")
    shown = (await client.get(f"{team}/late")).text
    assert "遅い</a>" in shown
    assert "終了日を過ぎた未完了" in shown
    assert "遅い</a>" in (await client.get(f"{team}/late?late=doing")).text
