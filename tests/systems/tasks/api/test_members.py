"""Members by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_team


async def test_the_last_admin_stays(client: Client) -> None:
    team = await new_team(client)
    (me,) = (await client.json("GET", f"{team}/members")).json()["items"]
    assert (me["id"], me["role"]) == ("demo-aoi", "admin")
    for reply in (
        await client.json("PATCH", f"{team}/members/demo-aoi", {"role": "member"}),
        await client.json("DELETE", f"{team}/members/demo-aoi"),
    ):
        assert (reply.status, reply.json()["code"]) == (409, "last-admin")
    unknown = await client.json("DELETE", f"{team}/members/demo-ren")
    assert (unknown.status, unknown.json()["code"]) == (422, "no-such-member")
