from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.world import LESSON


async def test_a_favourite_is_put_and_put_again(client: Client) -> None:
    for note in ("いつもの", "別の"):
        reply = await client.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {"notes": note})
        assert (reply.status, reply.json()["notes"]) == (200, note)
    quoted = str(LESSON).replace("/", "%2F")
    assert (await client.json("DELETE", f"/lessons/api/me/favorites/{quoted}")).status == 204
    shown = (await client.json("GET", f"/lessons/api/lessons/{quoted}")).json()
    assert (shown["mine"], shown["position"], shown["lesson"]["free"]) == ([], None, 1)
