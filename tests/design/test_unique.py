from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sekkei.testing
from sekkei.design import ConditionFailed, Database, TransactionFailed, UniqueKey, ValueRefused, replace
from tests.design.example import Team, User, design, emails, handles, markers, teams, users


async def taken(db: Database) -> set[str]:
    answer = await db.store.call("Scan", {"TableName": db.table_name(markers.table), "ConsistentRead": True})
    return {item["key"]["S"] for item in answer["Items"]}


async def test_two_items_cannot_share_a_unique_value(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a@b", handle="neko")))
    second = users.create(User(user_id="2", email="a@b"))
    with pytest.raises(ConditionFailed, match=r"EMAIL#\{email\} is already taken") as failed:
        await db.write(second)
    assert failed.value.taken == "EMAIL#{email}"
    assert await db.get(users("2")) is None
    assert await taken(db) == {"EMAIL#a@b", "HANDLE#neko"}


async def test_an_absent_value_is_not_unique(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a")))
    await db.write(users.create(User(user_id="2", email="b")))
    assert await taken(db) == {"EMAIL#a", "EMAIL#b"}


async def test_a_delimiter_in_a_unique_value_is_escaped(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a#1@b")))
    assert await taken(db) == {"EMAIL#a%231@b"}
    found = await db.holder(emails, User.email == "a#1@b")
    assert found is not None
    assert found.user_id == "1"


async def test_a_changed_value_moves_its_marker(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="old", handle="neko")))
    changed = await db.write(users.update("1").set(User.email, "new"))
    assert (changed.email, changed.version) == ("new", 2)
    assert await taken(db) == {"EMAIL#new", "HANDLE#neko"}
    await db.write(users.create(User(user_id="2", email="old")))
    with pytest.raises(ConditionFailed):
        await db.write(users.update("2").set(User.email, "new"))
    assert await taken(db) == {"EMAIL#new", "HANDLE#neko", "EMAIL#old"}
    assert (await db.write(users.update("1").remove(User.handle))).handle is None
    assert "HANDLE#neko" not in await taken(db)


async def test_an_update_of_something_else_leaves_markers_alone(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a")))
    await db.write(users.update("1").add(User.points, 5))
    await db.write(users.update("1").set(User.email, "a"))
    assert await taken(db) == {"EMAIL#a"}


async def test_replace_put_and_delete_keep_markers_right(db: Database) -> None:
    made = await db.write(users.create(User(user_id="1", email="a", handle="x")))
    made = await db.write(users.replace(replace(made, email="b", handle=None)))
    assert await taken(db) == {"EMAIL#b"}
    made = await db.write(users.put(replace(made, email="c", handle="y")))
    assert await taken(db) == {"EMAIL#c", "HANDLE#y"}
    assert await db.write(users.delete("1")) == made
    assert await taken(db) == set()
    assert await db.write(users.delete("1")) is None
    await db.write(users.put(User(user_id="1", email="a")))
    assert await taken(db) == {"EMAIL#a"}


async def test_within_a_transaction(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a")))
    add = users.create(User(user_id="2", email="a"))
    team = teams.create(Team(team_id="t1", name="x"))
    with pytest.raises(TransactionFailed) as failed:
        await db.transact(team, add)
    reason = failed.value.reason(add)
    assert reason is not None
    assert reason.taken == "EMAIL#{email}"
    assert not failed.value.failed(team)
    assert await db.get(teams("t1")) is None
    await db.transact(team, users.update("1").set(User.email, "b"), users.create(User(user_id="2", email="a")))
    assert await taken(db) == {"EMAIL#a", "EMAIL#b"}


async def test_two_items_swap_their_values(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="a")))
    await db.write(users.create(User(user_id="2", email="b")))
    await db.transact(users.update("1").set(User.email, "b"), users.update("2").set(User.email, "a"))
    assert await taken(db) == {"EMAIL#a", "EMAIL#b"}
    holder = await db.holder(emails, User.email == "a")
    assert holder is not None
    assert holder.user_id == "2"


async def test_the_holder_of_a_value(db: Database) -> None:
    user = await db.write(users.create(User(user_id="1", email="a@b", handle="neko")))
    assert await db.holder(emails, User.email == "a@b") == user
    assert await db.holder(handles, User.handle == "neko") == user
    assert await db.holder(handles, User.handle == "inu") is None
    marker = await db.need(markers("EMAIL#a@b"))
    assert marker == UniqueKey(value="EMAIL#a@b", owner={"userId": "1"})


async def test_a_race_for_one_value_has_one_winner(db: Database) -> None:
    await db.write_many([])
    creations = [users.create(User(user_id=str(i), email="same")) for i in range(8)]
    results: list[Any] = await asyncio.gather(*(db.write(one) for one in creations), return_exceptions=True)
    winners = [result for result in results if isinstance(result, User)]
    assert len(winners) == 1
    assert all(isinstance(result, User | ConditionFailed) for result in results)
    assert await taken(db) == {"EMAIL#same"}


async def test_a_race_between_changes_leaves_one_marker(db: Database) -> None:
    await db.write(users.create(User(user_id="1", email="start")))
    await asyncio.gather(*(db.write(users.update("1").set(User.email, f"e{i}")) for i in range(5)))
    final = await db.need(users("1").consistent())
    assert await taken(db) == {f"EMAIL#{final.email}"}
    assert final.version == 6


ids = st.sampled_from(["1", "2", "3"])
values = st.sampled_from(["a", "b", "c"])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("create"), ids, values, st.none() | values),
        st.tuples(st.just("put"), ids, values, st.none() | values),
        st.tuples(st.just("update"), ids, values, st.none() | values),
        st.tuples(st.just("delete"), ids),
        st.tuples(st.just("swap"), ids, ids),
        st.tuples(st.just("count"), ids),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_after_any_steps_the_markers_are_exactly_the_values_held(steps: list[Any]) -> None:
    asyncio.run(_walk(steps))


async def _walk(steps: list[Any]) -> None:
    async with sekkei.testing.store(design) as db:
        for step in steps:
            try:
                await _step(db, *step)
            except (ConditionFailed, TransactionFailed, ValueRefused):
                continue
            finally:
                await _agree(db)


async def _step(db: Database, kind: str, user_id: str, *rest: Any) -> None:
    found = await db.get(users(user_id))
    if kind == "create":
        await db.write(users.create(User(user_id=user_id, email=rest[0], handle=rest[1])))
    elif kind == "put":
        made = User(user_id=user_id, email=rest[0], handle=rest[1]) if found is None else found
        await db.write(users.put(replace(made, email=rest[0], handle=rest[1])))
    elif kind == "update":
        await db.write(users.update(user_id).set(User.email, rest[0]).set(User.handle, rest[1]))
    elif kind == "delete":
        await db.write(users.delete(user_id))
    elif kind == "count":
        await db.write(users.update(user_id).add(User.points, 1))
    else:
        other = await db.get(users(rest[0]))
        if found is not None and other is not None:
            await db.transact(
                users.update(user_id).set(User.email, other.email), users.update(rest[0]).set(User.email, found.email)
            )


async def _agree(db: Database) -> None:
    everyone = await db.all(users.scan())
    held = [f"EMAIL#{user.email}" for user in everyone]
    held += [f"HANDLE#{user.handle}" for user in everyone if user.handle is not None]
    assert len(held) == len(set(held))
    assert await taken(db) == set(held)
