"""Notes, and the morning's mail."""

from __future__ import annotations

import re

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import service_of


async def test_the_mornings_mail_is_chosen_and_stopped_by_its_link(client: Client) -> None:
    await client.post("/tasks/digest", {"wanted": "true"})
    assert (await service_of(client).people.get("demo-aoi")).digest
    await client.post("/tasks/digest", {})
    assert not (await service_of(client).people.get("demo-aoi")).digest


async def test_all_notes_are_read_at_once(client: Client) -> None:
    made = await client.post("/tasks/teams", {"name": "通知"})
    team = made.location
    await client.post(f"{team}/invitations", {"email": "ren@demo.example"})
    (listed,) = await service_of(client).invitations.open(
        await service_of(client).access.admin("demo-aoi", team.rpartition("/")[2])
    )
    token = service_of(client).invitations.token_of(listed.invitation)
    ren = client.another()
    await ren.sign_in("demo-ren")
    await ren.post(f"/tasks/invitations/{team.rpartition('/')[2]}/{listed.invitation.invite_id}", {"token": token})
    await client.post(f"{team}/tasks", {"title": "蓮への仕事", "assignee": "demo-ren"})
    await client.work()
    shown = (await ren.get("/tasks/notes")).text
    assert "蓮への仕事" in shown
    assert re.search(r'class="[^"]*\bunread\b', shown)
    await ren.post("/tasks/notes/read")
    assert not re.search(r'class="[^"]*note unread', (await ren.get("/tasks/notes")).text)
