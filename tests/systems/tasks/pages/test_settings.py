"""Settings: what cannot be done is said where it was tried."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_team


async def test_the_last_admin_is_told_why_not(client: Client) -> None:
    team = await new_team(client)
    left = await client.post(f"{team}/members/demo-aoi/remove", follow=True)
    assert "管理者が一人もいなくなります" in left.text
    stepped_down = await client.post(f"{team}/members/demo-aoi/role", {"role": "member"}, follow=True)
    assert "管理者が一人もいなくなります" in stepped_down.text


async def test_settings_say_what_is_wrong_in_the_form(client: Client) -> None:
    team = await new_team(client)
    for path, fields, words in (
        ("invitations", {"email": "none"}, "メールアドレスの形になっていません。"),
        ("tags", {"name": "x", "color": "red"}, "色は #rrggbb の形で指定してください。"),
        ("settings", {"name": "x" * 101}, "100文字以下にしてください。"),
    ):
        reply = await client.post(f"{team}/{path}", fields)
        assert reply.status == 422
        assert words in reply.text
