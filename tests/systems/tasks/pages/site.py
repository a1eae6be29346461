"""What the tests of pages do first."""

from __future__ import annotations

import re

from sekkei.web.testing import Client, Reply
from sekkei_systems.tasks.service import Service


def service_of(client: Client) -> Service:
    service: Service = client.shell.deployment.systems["tasks"].parts.service
    return service


async def new_team(client: Client) -> str:
    made = await client.post("/tasks/teams", {"name": "ページ"})
    assert made.status == 303
    return made.location


async def new_task(client: Client, team: str, **fields: str) -> str:
    assert (await client.post(f"{team}/tasks", {"title": "仕事", **fields})).status == 303
    found = re.search(rf'{team}/tasks/\w+(?=")', (await client.get(team)).text.replace(f"{team}/tasks/new", ""))
    assert found is not None
    return found[0]


def offered(page: str) -> str:
    """Where the button beside the message leads."""
    found = re.search(r'class="toast ok".*?<form class="inline" method="post" action="([^"]+)"', page)
    assert found is not None, page
    return found[1]


async def upload(client: Client, team: str, content: bytes) -> str:
    reply = await sent_file(client, f"{team}/import", content)
    assert reply.status == 303
    await client.work()
    return (await client.get(reply.location, follow=True)).text


async def sent_file(client: Client, path: str, content: bytes) -> Reply:
    """A form with one file, as a browser sends it."""
    token = await client.token()
    boundary = "xxBOUNDARYxx"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n{token}\r\n'.encode(),
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\n".encode()
        + content
        + b"\r\n",
        f"--{boundary}--\r\n".encode(),
    ]
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "text/html"}
    return await client.request("POST", path, b"".join(parts), headers)
