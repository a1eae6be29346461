"""Finding users, looking at one, and locking one out."""

from __future__ import annotations

from sekkei.runtime import days
from sekkei.web import Html, Redirect, Sent
from sekkei_systems.q.design.models import ProfilePart
from sekkei_systems.q.pages.desk import done
from sekkei_systems.q.pages.users import (
    Look,
    OfProfile,
    Ruling,
    Search,
    Suspension,
    Verified,
    Why,
    ban,
    look,
    of_profile,
    rule,
    suspend,
    unban,
    user,
    users,
    verify,
    warn,
)
from sekkei_systems.q.service.people import Profile
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
    again = await ban(by, moderation, "a", Sent(Why("あ" * 501)))
    assert isinstance(again, Html)
    assert (again.status, list(again.values["form"].errors)) == (422, ["reason"])
    assert await ban(by, moderation, "a", Sent(Why("spam"))) == done("/q/admin/users/a")
    assert (await user(by, moderation, "a", Look())).values["found"].user.is_banned
    late = await ban(by, moderation, "a", Sent(Why()))
    assert isinstance(late, Html)
    assert (late.status, len(late.flashes)) == (409, 1)
    assert await unban(by, moderation, "a", Sent(Why())) == done("/q/admin/users/a")


# The acts on somebody's page: done and back, or the page with what is wrong.


BACK = done("/q/admin/users/a")


async def test_every_act_leads_back_to_the_person(desk: World) -> None:
    service, now = desk.proven, days.now(desk.clock)
    by = await service.access.proven_admin("boss", proved_at=now)
    await desk.service.people.change("a", Profile(bio="x"))
    given = by, service.moderation, service.sanctions, "a"
    removal = Sent(OfProfile(part=ProfilePart.BIO, decision="remove", reason="悪口"))
    assert await of_profile(by, service.moderation, service.profiles, "a", removal) == BACK
    assert await warn(*given, Sent(Why("注意"))) == BACK
    assert await verify(*given, Verified("yes")) == BACK
    assert await suspend(*given, Sent(Suspension("休み", "3"))) == BACK
    assert (await desk.user("a")).banned_until is not None


async def test_what_is_refused_is_said_on_the_page(desk: World) -> None:
    service, now = desk.proven, days.now(desk.clock)
    by = await service.access.proven_admin("boss", proved_at=now)
    given = by, service.moderation, service.sanctions, "a"
    empty = await warn(*given, Sent(Why()))
    keep = Sent(OfProfile(part=ProfilePart.NAME, decision="keep"))
    late = await of_profile(by, service.moderation, service.profiles, "a", keep)
    assert isinstance(empty, Html)
    assert isinstance(late, Html)
    assert (empty.status, late.status, len(late.flashes)) == (422, 409, 1)
    unseen = await look(by, service.moderation, "a", Sent(Why(" ")))
    assert isinstance(unseen, Html)
    assert unseen.status == 422
    seen = await look(by, service.moderation, "a", Sent(Why("確認")))
    assert isinstance(seen, Redirect)


async def test_a_ruling_by_the_same_person_is_refused(desk: World) -> None:
    service, now = desk.proven, days.now(desk.clock)
    by = await service.access.proven_admin("boss", proved_at=now)
    await desk.make_admin("b")
    await desk.ban("a", reason="荒らし")
    (made,) = await desk.service.decisions.mine("a")
    await desk.service.decisions.appeal("a", made.decision_id, "ちがう")
    own = await rule(by, service.moderation, service.sanctions, "a", made.decision_id, Ruling("overturn"))
    assert isinstance(own, Html)
    assert own.status == 409
    other = await service.access.proven_admin("b", proved_at=now)
    assert await rule(other, service.moderation, service.sanctions, "a", made.decision_id, Ruling("overturn")) == BACK
