"""Finding users, looking at one, and locking one out."""

from __future__ import annotations

from sekkei.runtime import days
from sekkei.web import Html, Sent
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.pages.users import Ban, Look, Search, ban, unban, user, users
from tests.systems.q.conftest import World


async def test_by_name_or_all(desk: World) -> None:
    by, moderation = await desk.proven.access.admin("boss"), desk.proven.moderation
    page = await users(by, moderation, Search(q=" @a_id "))
    assert [one.user_id for one in page.values["found"]] == ["a"]
    desk.pass_time()
    page = await users(by, moderation, Search())
    assert {one.user_id for one in page.values["found"]} == {"a", "b", "boss"}


async def test_a_ban_with_its_reason_and_its_end(desk: World) -> None:
    now = days.now(desk.clock)
    by, moderation = await desk.proven.access.proven_admin("boss", proved_at=now), desk.proven.moderation
    again = await ban(by, moderation, "a", Sent(Ban("あ" * 501)))
    assert isinstance(again, Html)
    assert (again.status, list(again.values["form"].errors)) == (422, ["reason"])
    assert await ban(by, moderation, "a", Sent(Ban("spam"))) == done("/q/admin/users/a")
    assert (await user(by, moderation, "a", Look())).values["found"].user.is_banned
    late = await ban(by, moderation, "a", Sent(Ban()))
    assert isinstance(late, Html)
    assert (late.status, len(late.flashes)) == (409, 1)
    assert await unban(by, moderation, "a", Sent(Ban())) == done("/q/admin/users/a")
