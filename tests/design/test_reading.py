from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.design import CursorRefused, Database, ItemRefused, NotFound, ValueRefused, replace
from sekkei.errors import TransactionConflictException
from tests.design.example import (
    NOON,
    Color,
    DayTotals,
    Member,
    Notice,
    Reading,
    Status,
    Task,
    TaskLabel,
    Team,
    Totals,
    by_group,
    by_place,
    by_start,
    day_totals,
    everything,
    labels,
    late_to_start,
    members,
    notices,
    notices_by_event,
    ranked,
    readings,
    tasks,
    teams,
    totals,
)
from tests.scripted_store import ScriptedStore, raises

RICH = Task(
    team_id="t1",
    task_id="rich",
    title="全部",
    status=Status.DOING,
    due=date(2025, 9, 1),
    start=date(2025, 8, 1),
    rank=7,
    tags=frozenset({"TAG#a", "TAG#b"}),
    log=["made", "moved"],
    color=Color(text="black", background="yellow"),
    seen=NOON,
    details={"n": 1, "nested": {"list": [1, "two", None, True]}},
    done=True,
)


async def fill(db: Database, count: int) -> None:
    start = date(2025, 1, 1)
    await db.write_many(
        tasks.put(
            Task(
                team_id="t1",
                task_id=f"k{i:03}",
                title=f"T{i}",
                start=start + timedelta(days=i),
                tags=frozenset({f"TAG#{i % 5}"}),
            )
        )
        for i in range(count)
    )


async def test_what_is_put_is_what_is_got(db: Database) -> None:
    await db.write(tasks.create(RICH))
    assert await db.get(tasks("t1", "rich")) == RICH
    assert await db.get(tasks("t1", "rich").consistent()) == RICH
    assert await db.get(tasks("t1", "nobody")) is None


async def test_need_names_what_is_missing(db: Database) -> None:
    with pytest.raises(NotFound, match=r"SK306: tasks\(team_id='t1', task_id='x'\) is not there"):
        await db.need(tasks("t1", "x"))


async def test_many_in_the_order_asked_with_repeats_and_gaps(db: Database) -> None:
    await fill(db, 130)
    refs = [tasks("t1", f"k{i:03}") for i in (*range(130), 5, 999)]
    found = await db.get_many(refs)
    assert [one and one.title for one in found] == [*(f"T{i}" for i in range(130)), "T5", None]
    assert await db.get_many([]) == []


async def test_many_across_tables(db: Database) -> None:
    notice = Notice(guild_id="g", notice_id="NTC#1", event_id="EVT#1", created_at=NOON)
    await db.write(notices.create(notice))
    await db.write(teams.create(Team(team_id="t1", name="開発")))
    found: list[object] = [*await db.get_many([notices("g", "NTC#1")]), *await db.get_many([teams("t1")])]
    assert found == [notice, Team(team_id="t1", name="開発")]


async def test_a_snapshot_is_typed_and_in_order(db: Database) -> None:
    await db.transact(teams.create(Team(team_id="t1", name="A")), totals.create(Totals(team_id="t1", todo=3)))
    team, count, nobody = await db.snapshot(teams("t1"), totals("t1"), members("t1", "u"))
    assert team is not None
    assert team.name == "A"
    assert count is not None
    assert count.todo == 3
    assert nobody is None


async def test_prefix_ends_at_the_delimiter(db: Database) -> None:
    for user in ("1", "10", "2"):
        await db.write(members.create(Member(team_id="t1", user_id=user)))
    await db.write(members.create(Member(team_id="t10", user_id="1")))
    assert [m.user_id for m in await db.all(members.where(Member.team_id == "t1"))] == ["1", "10", "2"]
    found = await db.all(members.where(Member.team_id == "t1", Member.user_id == "1"))
    assert [m.user_id for m in found] == ["1"]


async def test_ids_that_hold_the_delimiter(db: Database) -> None:
    for number, event in enumerate(("EVT#1", "EVT#10", "EVT#1")):
        at = NOON + timedelta(minutes=number)
        await db.write(notices.create(Notice(guild_id="g", notice_id=f"NTC#{number}", event_id=event, created_at=at)))
    found = await db.all(notices_by_event.where(Notice.guild_id == "g", Notice.event_id == "EVT#1").backwards())
    assert [n.notice_id for n in found] == ["NTC#2", "NTC#0"]
    later = notices_by_event.where(
        Notice.guild_id == "g", Notice.event_id == "EVT#1", Notice.created_at > NOON + timedelta(minutes=1)
    )
    assert [n.notice_id for n in await db.all(later)] == ["NTC#2"]


async def test_ranges_on_a_sort_key_part(db: Database) -> None:
    await fill(db, 10)
    await db.write(tasks.create(Task(team_id="t1", task_id="undated", title="none")))
    day = date(2025, 1, 4)

    async def ids(*conditions: object) -> list[str]:
        query = by_start.where(Task.team_id == "t1", *conditions)  # type: ignore[arg-type]
        return [task.task_id for task in await db.all(query)]

    assert await ids(Task.start < day) == ["k000", "k001", "k002"]
    assert await ids(Task.start <= day) == ["k000", "k001", "k002", "k003"]
    assert await ids(Task.start > date(2025, 1, 9)) == ["k009", "undated"]
    assert await ids(Task.start >= date(2025, 1, 10)) == ["k009", "undated"]
    assert await ids(Task.start.between(day, date(2025, 1, 5))) == ["k003", "k004"]
    assert (await ids())[-1] == "undated"


async def test_ranges_where_other_entities_share_the_sort_key(db: Database) -> None:
    for day in (1, 2, 3):
        await db.write(day_totals.create(DayTotals(team_id="t1", day=date(2025, 1, day))))
    await db.transact(totals.create(Totals(team_id="t1")), teams.create(Team(team_id="t1", name="x")))
    for condition, expected in (
        (DayTotals.day < date(2025, 1, 2), [1]),
        (DayTotals.day <= date(2025, 1, 2), [1, 2]),
        (DayTotals.day > date(2025, 1, 2), [3]),
        (DayTotals.day >= date(2025, 1, 2), [2, 3]),
    ):
        query = day_totals.where(DayTotals.team_id == "t1", condition)
        assert [one.day.day for one in await db.all(query)] == expected
        assert await db.count(query) == len(expected)


async def test_a_local_index_reads_consistently_and_sorts_padded_numbers(db: Database) -> None:
    for rank in (10, 9, 100):
        await db.write(tasks.create(Task(team_id="t1", task_id=f"r{rank}", title="", rank=rank)))
    query = ranked.where(Task.team_id == "t1", Task.status == Status.TODO).consistent()
    assert [task.rank for task in await db.all(query)] == [9, 10, 100]
    above = ranked.where(Task.team_id == "t1", Task.status == Status.TODO, Task.rank > 9)
    assert [task.rank for task in await db.all(above)] == [10, 100]


async def test_number_keys_and_keys_of_several_attributes(db: Database, request: pytest.FixtureRequest) -> None:
    for at, (kind, level) in enumerate((("air", 1), ("air", 20), ("air", 3), ("sea", 9))):
        await db.write(readings.create(Reading(sensor=1, at=at, country="JP", city="千葉", kind=kind, level=level)))
    assert [r.at for r in await db.all(readings.where(Reading.sensor == 1, Reading.at >= 2))] == [2, 3]
    place = (Reading.country == "JP", Reading.city == "千葉")
    assert [r.level for r in await db.all(by_place.where(*place, Reading.kind == "air"))] == [1, 3, 20]
    assert [r.level for r in await db.all(by_place.where(*place, Reading.kind == "air", Reading.level > 1))] == [3, 20]
    assert len(await db.all(by_place.where(*place))) == 4


async def test_sparse_index_and_projected_type(db: Database) -> None:
    await db.write(tasks.create(Task(team_id="t1", task_id="a", title="A", due=date(2025, 9, 3))))
    await db.write(tasks.create(Task(team_id="t1", task_id="b", title="B")))
    await db.write(tasks.create(Task(team_id="t1", task_id="c", title="C", due=date(2025, 9, 2), status=Status.DONE)))
    found = await db.all(labels.scan())
    assert found == [TaskLabel(team_id="t1", task_id="a", title="A")]


async def test_only_some_attributes(db: Database) -> None:
    await db.write(tasks.create(RICH))
    query = tasks.where(Task.team_id == "t1").only(TaskLabel)
    assert await db.all(query) == [TaskLabel(team_id="t1", task_id="rich", title="全部")]


async def test_pages_walk_through_everything_once(db: Database) -> None:
    await fill(db, 25)
    seen: list[str] = []
    cursor, pages = None, 0
    while True:
        page = await db.page(late_to_start("t1", date(2026, 1, 1)), size=10, after=cursor)
        seen += [task.task_id for task in page]
        pages, cursor = pages + 1, page.cursor
        if cursor is None:
            break
    assert seen == [f"k{i:03}" for i in range(25)]
    assert pages == 3


async def test_a_filter_fills_the_page(db: Database) -> None:
    await fill(db, 60)
    query = late_to_start("t1", date(2026, 1, 1)).filter(Task.tags.contains("TAG#3"))
    seen: list[str] = []
    cursor = None
    for expected in (5, 5, 2):
        page = await db.page(query, size=5, after=cursor)
        assert len(page) == expected
        seen += [task.task_id for task in page]
        cursor = page.cursor
    assert cursor is None
    assert seen == [f"k{i:03}" for i in range(60) if i % 5 == 3]


async def test_a_filter_that_keeps_nothing_ends(db: Database) -> None:
    await fill(db, 30)
    page = await db.page(late_to_start("t1", date(2026, 1, 1)).filter(Task.title == "nobody"), size=5)
    assert len(page) == 0
    assert page.cursor is None


async def test_cursors_of_other_queries_or_changed_ones_are_refused(db: Database) -> None:
    await fill(db, 5)
    cursor = (await db.page(late_to_start("t1", date(2026, 1, 1)), size=2)).cursor
    assert cursor is not None
    for query in (
        late_to_start("t2", date(2026, 1, 1)),
        late_to_start("t1", date(2026, 1, 2)),
        late_to_start("t1", date(2026, 1, 1)).backwards(),
        late_to_start("t1", date(2026, 1, 1)).filter(Task.title == "T1"),
        by_group.where(Task.group == "TEAM#t1#open", Task.start < date(2026, 1, 1)),
    ):
        with pytest.raises(CursorRefused, match="SK402"):
            await db.page(query, after=cursor)
    changed = cursor[:30] + ("A" if cursor[30] != "A" else "B") + cursor[31:]
    for bad in (changed, cursor[:-4], "", "AAAA", "not base64 ✂", "A" * 20_000):
        with pytest.raises(CursorRefused, match="SK40"):
            await db.page(late_to_start("t1", date(2026, 1, 1)), after=bad)


async def test_page_sizes_have_limits(db: Database) -> None:
    for size in (-1, 1001):
        with pytest.raises(ValueRefused, match="SK217"):
            await db.page(late_to_start("t1", date(2026, 1, 1)), size=size)


async def test_first_count_and_each(db: Database) -> None:
    await fill(db, 12)
    query = late_to_start("t1", date(2025, 1, 11))
    assert await db.count(query) == 10
    first = await db.first(query.backwards())
    assert first is not None
    assert first.task_id == "k009"
    assert await db.first(late_to_start("t9", date(2025, 1, 11))) is None
    assert [task.task_id async for task in db.each(query.page_of(3))] == [f"k{i:03}" for i in range(10)]


async def test_the_first_items_say_whether_others_follow(db: Database) -> None:
    await fill(db, 12)
    query = late_to_start("t1", date(2025, 1, 11))
    for count, complete in ((3, False), (9, False), (10, True), (11, True)):
        first = await db.first_items(query, count)
        assert [task.task_id for task in first] == [f"k{i:03}" for i in range(min(count, 10))]
        assert (len(first), first.is_complete) == (min(count, 10), complete)
    assert repr(await db.first_items(query, 3)) == "First(3 items, more follow)"


async def test_a_filter_does_not_shorten_the_first_items(db: Database) -> None:
    await fill(db, 12)
    rare = late_to_start("t1", date(2025, 1, 11)).filter(Task.title == "T9")
    first = await db.first_items(rare, 1)
    assert ([task.title for task in first], first.is_complete) == (["T9"], True)


async def test_the_store_counts_where_a_table_has_one_kind(db: Database) -> None:
    for at in range(5):
        await db.write(notices.put(Notice(guild_id="g", notice_id=f"NTC#{at}", event_id="EVT#1", created_at=NOON)))
    assert await db.count(notices.where(Notice.guild_id == "g")) == 5


async def test_a_collection_tells_kinds_apart(db: Database) -> None:
    await db.transact(
        teams.create(Team(team_id="t1", name="A")),
        members.create(Member(team_id="t1", user_id="u1")),
        tasks.create(Task(team_id="t1", task_id="k1", title="x")),
        day_totals.create(DayTotals(team_id="t1", day=date(2025, 1, 1))),
        totals.create(Totals(team_id="t1")),
    )
    found = await db.all(everything.where(Team.team_id == "t1"))
    assert [type(one).__name__ for one in found] == ["Totals", "Task", "Team", "Member"]


async def test_expired_items_are_not_read(db: Database, clock: ManualClock) -> None:
    expires = datetime.fromtimestamp(clock.now() + 60, UTC)
    day = DayTotals(team_id="t1", day=date(2025, 8, 20), expires=expires)
    await db.write(day_totals.create(day))
    query = day_totals.where(DayTotals.team_id == "t1")
    assert await db.all(query) == [day]
    clock.advance(61)
    assert await db.get(day_totals("t1", date(2025, 8, 20))) is None
    assert await db.get_many([day_totals("t1", date(2025, 8, 20))]) == [None]
    assert await db.all(query) == []
    assert await db.count(query) == 0
    assert await db.all(query.with_expired()) in ([day], [])  # a store may have deleted it by now


async def test_an_expired_item_counts_as_absent_for_writes(db: Database, clock: ManualClock) -> None:
    gone = datetime.fromtimestamp(clock.now() - 60, UTC)
    day = DayTotals(team_id="t1", day=date(2025, 8, 20), expires=gone)
    await db.write(day_totals.put(day))
    fresh = replace(day, todo=5, expires=None)
    await db.write(day_totals.create(fresh))
    assert await db.get(day_totals("t1", date(2025, 8, 20))) == fresh


async def test_an_upsert_does_not_revive_an_expired_item(db: Database, clock: ManualClock) -> None:
    gone = datetime.fromtimestamp(clock.now() - 60, UTC)
    await db.write(day_totals.put(DayTotals(team_id="t1", day=date(2025, 8, 20), todo=9, expires=gone)))
    changed = await db.write(day_totals.upsert("t1", date(2025, 8, 20)).add(DayTotals.todo, 1))
    assert changed == DayTotals(team_id="t1", day=date(2025, 8, 20), todo=1)
    await db.write(day_totals.put(DayTotals(team_id="t1", day=date(2025, 8, 20), todo=9, expires=gone)))
    await db.transact(day_totals.upsert("t1", date(2025, 8, 20)).add(DayTotals.todo, 2))
    assert (await db.need(day_totals("t1", date(2025, 8, 20)))).todo == 2


async def test_an_upsert_is_tried_again_when_a_transaction_is_at_the_expired_item(
    db: Database, clock: ManualClock
) -> None:
    conflict = TransactionConflictException("Transaction is ongoing for the item")
    store = ScriptedStore(db.store, before=raises(conflict, operations=["DeleteItem"]))
    busy = db.design.open(store, env=db.env, clock=db.clock)
    gone = datetime.fromtimestamp(clock.now() - 60, UTC)
    await db.write(day_totals.put(DayTotals(team_id="t1", day=date(2025, 8, 20), todo=9, expires=gone)))
    upsert = day_totals.upsert("t1", date(2025, 8, 20)).add(DayTotals.todo, 1)
    await busy.transact(upsert, totals.upsert("t1").add(Totals.todo, 1))
    assert store.count("DeleteItem") == 2
    assert (await db.need(day_totals("t1", date(2025, 8, 20)))).todo == 1


async def test_a_stranger_in_the_table_is_named(db: Database) -> None:
    name = db.table_name(tasks.table)
    for item in (
        {"PK": {"S": "TEAM#t1"}, "SK": {"S": "TASK#?"}, "type": {"S": "ufo"}},
        {"PK": {"S": "TEAM#t1"}, "SK": {"S": "TASK#?"}},
    ):
        await db.store.call("PutItem", {"TableName": name, "Item": item})
        with pytest.raises(ItemRefused, match=r"SK504: table board holds an item .* that no entity matches"):
            await db.all(tasks.where(Task.team_id == "t1"))


async def test_a_damaged_item_names_its_attribute(db: Database) -> None:
    name = db.table_name(tasks.table)
    base = {"PK": {"S": "TEAM#t1"}, "SK": {"S": "TASK#k"}, "type": {"S": "task"}}
    for extra, text in (
        ({}, "'team_task_title' of an item read as Task is absent"),
        ({"team_task_title": {"N": "1"}}, "'team_task_title' .* is {'N': '1'}"),
        ({"team_task_title": {"S": ""}, "team_task_status": {"S": "lost"}}, "'team_task_status'"),
        ({"team_task_title": {"S": ""}, "due": {"S": "tomorrow"}}, "'due'"),
    ):
        await db.store.call("PutItem", {"TableName": name, "Item": {**base, **extra}})
        with pytest.raises(ItemRefused, match=f"SK501: attribute {text}"):
            await db.get(tasks("t1", "k"))


async def test_null_reads_as_absent(db: Database) -> None:
    item = {
        "PK": {"S": "TEAM#t1"},
        "SK": {"S": "TASK#k"},
        "type": {"S": "task"},
        "team_task_title": {"S": "x"},
        "seen": {"NULL": True},
    }
    await db.store.call("PutItem", {"TableName": db.table_name(tasks.table), "Item": item})
    assert (await db.need(tasks("t1", "k"))).seen is None


async def test_an_item_of_another_type_under_the_key_is_refused(db: Database) -> None:
    item = {"PK": {"S": "TEAM#t1"}, "SK": {"S": "TASK#k"}, "type": {"S": "member"}}
    await db.store.call("PutItem", {"TableName": db.table_name(tasks.table), "Item": item})
    with pytest.raises(ItemRefused, match="SK505"):
        await db.get(tasks("t1", "k"))
