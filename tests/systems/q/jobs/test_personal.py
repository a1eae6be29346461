"""Leaving with the account is a withdrawal without its week; the file has what somebody said and whom they follow."""

from __future__ import annotations

from sekkei.runtime.data_subjects import Person
from sekkei_systems.q.design.tables import users
from tests.systems.leaving import exported, leave
from tests.systems.q.conftest import World, png

A = Person("a", "a@example.com", "A")


async def test_a_withdrawal_at_once(fair: World) -> None:
    await fair.join("a", "b")
    await fair.follow(("a", "b"), ("b", "a"))
    await fair.ask()
    await fair.answer("a")
    personal = fair.deployment.systems["q"].parts.personal
    found = await exported(personal, A)
    assert [one["text"] for one in found["answers.json"]] == ["秋が好き"]
    assert [one["followee_id"] for one in found["following.json"]] == ["b"]
    await leave(personal, A)
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
    assert ((await fair.user("b")).follower_count, (await fair.user("b")).following_count) == (0, 0)
    assert await exported(personal, A) == {}


async def test_an_admin_gives_up_the_role_first(fair: World) -> None:
    await fair.join("a")
    await fair.make_admin("a")
    personal = fair.deployment.systems["q"].parts.personal
    assert personal is not None
    (obstacle,) = await personal.obstacles(A)
    assert "管理者" in obstacle.text["ja"]


async def test_the_file_has_decisions_and_notices_but_not_who_decided(fair: World) -> None:
    await fair.join("a", "boss")
    await fair.make_admin("boss")
    await fair.service.people.set_picture("a", png())
    await fair.ban("a", reason="荒らし")
    found = await exported(fair.deployment.systems["q"].parts.personal, A)
    assert found["picture.jpg"].startswith(b"\xff\xd8")
    (decision,) = found["decisions.json"]
    assert (decision["kind"].value, decision["reason"]) == ("ban", "荒らし")
    assert [one["said"] for one in found["notices.json"]] == ["notice.decision.ban"]
    assert "boss" not in str({name: rows for name, rows in found.items() if name != "picture.jpg"})


async def test_the_file_does_not_say_who_is_banned(fair: World) -> None:
    await fair.join("a", "b", "c", "boss")
    await fair.make_admin("boss")
    await fair.follow(("a", "b"), ("b", "a"), ("a", "c"))
    await fair.ban("b")
    await fair.settle()
    found = await exported(fair.deployment.systems["q"].parts.personal, A)
    banned, other = sorted(found["following.json"], key=lambda one: one["followee_id"])
    assert {**banned, "followee_id": "", "created_at": ""} == {**other, "followee_id": "", "created_at": ""}
    assert found.pop("profile.json")["is_banned"] is False  # their own standing they may read
    assert "banned" not in str(found)
