from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

import sekkei.testing
from sekkei.design import (
    Attr,
    Design,
    DesignError,
    Index,
    Key,
    Measurements,
    Query,
    Reactions,
    Ref,
    Units,
    attr,
    collection,
    model,
    part,
    template,
)
from tests.design.example import (
    Task,
    add_task,
    all_tasks,
    design,
    late_and_tagged,
    late_to_start,
    members,
    notices,
    one_task,
    tasks,
    team_and_members,
    teams,
    users,
)


def test_a_plan_says_what_will_be_asked() -> None:
    (plan,) = late_and_tagged.plans
    assert (plan.operation, plan.table, plan.index) == ("Query", "board", "by_group")
    assert plan.key == 'status_group = "TEAM#{team_id}#open" AND start_sort_sk < "START#{today}"'
    assert plan.filter == 'contains(tags, "{tags}")'
    assert str(plan).splitlines() == [
        "Query board.by_group",
        'key: status_group = "TEAM#{team_id}#open" AND start_sort_sk < "START#{today}"',
        'filter: contains(tags, "{tags}")',
        "consistency: eventual",
        "page: 20 items, first sort key first",
    ]
    assert late_to_start.plans[0].page_size == 20
    assert one_task.plans[0].consistent


def test_a_plan_of_a_transaction_and_of_several_steps() -> None:
    operations = [plan.operation for plan in add_task.plans]
    assert operations == ["TransactWriteItems PutItem", "TransactWriteItems UpdateItem"]
    assert add_task.plans[0].filter == "attribute_not_exists(SK)"
    assert add_task.plans[1].changes == ("todo",)
    assert [plan.operation for plan in team_and_members.plans] == ["GetItem", "BatchGetItem"]
    assert team_and_members.plans[1].key == 'PK = "TEAM#{team_id}" AND SK = "USER#{user_ids}"'


def test_a_scan_carries_its_reason() -> None:
    (plan,) = all_tasks.plans
    assert plan.operation == "Scan"
    assert "scan, because a report that runs once a night" in str(plan)


def test_a_pattern_describes_itself() -> None:
    text = late_to_start.describe(Units(0.5, 0.0, 3))
    assert text.startswith("late_to_start(team_id: str, today: date)\n  Open tasks whose start has passed.\n")
    assert text.endswith("last measured: 0.5 read units, 3 items")
    assert "not yet" in one_task.describe()
    assert late_to_start.number == "12"


async def test_units_are_kept_per_pattern(tmp_path: Path) -> None:
    async with sekkei.testing.store(design) as plain:
        db = design.open(plain.store, env=plain.env, measure=True)
        await db.transact(add_task(Task(team_id="t", task_id="k", title="x", start=date(2025, 1, 1))))
        await db.get(one_task("t", "k"))
        await db.all(late_to_start("t", date(2026, 1, 1)))
        assert plain.measurements.units == {}
    units = db.measurements.units
    assert units["one_task"][:3] == Units(1.0, 0.0, 1)[:3]
    assert units["late_to_start"][:3] == Units(0.5, 0.0, 1)[:3]
    assert units["add_task"].write > 4
    path = tmp_path / "units.json"
    db.measurements.save(path)
    assert Measurements.load(path).units == units
    assert Measurements.load(tmp_path / "none.json").units == {}
    assert str(units["late_to_start"]) == "0.5 read units, 1 items"


def fresh() -> tuple[Design, Any]:
    made = Design("x")
    table = made.table("things", "PK", "SK", indexes=[Index("by_name", "name")])

    @model
    class Thing:
        id: Attr[str] = part()
        name: Attr[str] = attr()

    @table.entity(Thing)
    def things(id: str) -> Key:
        return Key(f"A#{id}", f"A#{id}")

    return made, things


def undocumented(made: Design, things: Any) -> None:
    @made.pattern
    def found(id: str) -> Ref[Any]:
        return things(id)  # type: ignore[no-any-return]


def scanning(made: Design, things: Any) -> None:
    @made.pattern
    def found() -> Query[Any]:
        """Everything."""
        return things.scan()  # type: ignore[no-any-return]


def guessing(made: Design, things: Any) -> None:
    @made.pattern
    def found(id: str) -> Query[Any]:
        """Thinks that there is such a method."""
        return things.scan().newest_first()  # type: ignore[no-any-return]


def crashing(made: Design, things: Any) -> None:
    @made.pattern
    def found(id: str) -> Ref[Any]:
        """Needs a real value."""
        return things({"a": "b"}[id])  # type: ignore[no-any-return]


def too_early(made: Design, things: Any) -> None:
    @made.pattern
    def found() -> Ref[Any]:
        """Uses what comes later."""
        return things(later)  # type: ignore[name-defined, no-any-return]  # noqa: F821


def untyped(made: Design, things: Any) -> None:
    @made.pattern
    def found(id) -> Ref[Any]:  # type: ignore[no-untyped-def]
        """Parameters without a type."""
        return things(id)  # type: ignore[no-any-return]


def returning_nonsense(made: Design, things: Any) -> None:
    @made.pattern  # type: ignore[type-var]
    def found(id: str) -> int:
        """Not a step."""
        return 3


def twice(made: Design, things: Any) -> None:
    for _ in range(2):

        @made.pattern
        def found(id: str) -> Ref[Any]:
            """One thing."""
            return things(id)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("declare", "number"),
    [
        (undocumented, "SK140"),
        (scanning, "SK142"),
        (crashing, "SK141.*sample="),
        (guessing, r"SK141.*'newest_first'\. Query has backwards, consistent, filter, "),
        (too_early, "SK141.*move it below"),
        (untyped, "SK120"),
        (returning_nonsense, "SK143"),
        (twice, "SK116"),
    ],
)
def test_patterns_that_do_not_load(declare: Any, number: str) -> None:
    with pytest.raises(DesignError, match=number):
        declare(*fresh())


def test_a_sample_stands_in_for_what_needs_a_real_value() -> None:
    made, things = fresh()

    @made.pattern(sample={"id": "a"})
    def found(id: str) -> Ref[Any]:
        """Looks something up."""
        return things({"a": "b"}[id])  # type: ignore[no-any-return]

    assert found.plans[0].key == 'PK = "A#b" AND SK = "A#b"'


def _table(**options: Any) -> Any:
    return Design("x").table("things", "PK", "SK", **options)


@model
class Thing:
    id: Attr[str] = part()
    other: Attr[str | None] = attr(default=None)


@model
class Whole:
    PK: Attr[str]
    SK: Attr[str]


@model
class Lost:
    id: Attr[str] = part()
    lost: Attr[str] = part()


@model
class Timed:
    id: Attr[str] = part()
    expires: Attr[str] = attr()


@model
class Numbered:
    id: Attr[int]


def _entity(cls: Any, function: Any, type: str | None = None, **options: Any) -> Any:
    return _table(**options).entity(cls, type=type)(function)


def no_key(id: str) -> str:
    return id


def computing(id: str) -> Key:
    return Key(f"A#{id.lower()}", "B")


def forgetting(id: str) -> Key:
    return Key("A", "B")


def halved(id: str) -> Key:
    return Key(f"A#{id}")


def clashing(PK: str, SK: str) -> Key:
    return Key(f"A#{PK}", SK)


def optional(id: str, other: str | None) -> Key:
    return Key(f"A#{id}", f"B#{other}")


def misnamed(ident: str) -> Key:
    return Key(f"A#{ident}", "B")


def mistyped(id: int) -> Key:
    return Key(f"A#{id}", "B")


def fine(id: str) -> Key:
    return Key(f"A#{id}", "B")


def branching(id: str) -> Key:
    return Key(f"A#{id}", "B") if id == "x" else Key(f"C#{id}", "D")


def asking(id: str) -> Key:
    return Key(f"A#{id or 'nobody'}", "B")


def looking_up(id: str) -> Key:
    return Key(f"A#{id}", {"x": "B"}[id])


def _long(id: str) -> str:
    return "LONG" if len(id) > 3 else "SHORT"


def calling_a_brancher(id: str) -> Key:
    return Key(f"A#{id}", _long(id))


def two_entities_one_key() -> None:
    table = _table()
    table.entity(Thing)(fine)
    table.entity(Thing)(fine)


def two_types_of_key() -> None:
    made = Design("x")
    table = made.table("things", "id")

    @model
    class Texted:
        id: Attr[str]

    def numbers(id: int) -> Key:
        return Key(id)

    def texts(id: str) -> Key:
        return Key(f"T#{id}")

    table.entity(Numbered)(numbers)
    table.entity(Timed)(texts)
    made.check()


def index_of_nobody() -> None:
    made = Design("x")
    table = made.table("things", "PK", "SK", indexes=[Index("by-nobody", "nobody")])
    table.entity(Thing)(fine)
    made.check()


def empty_table() -> None:
    made = Design("x")
    made.table("things", "PK")
    made.check()


def two_tables_one_name() -> None:
    made = Design("x")
    made.table("things", "PK")
    made.table("things", "PK")


@pytest.mark.parametrize(
    ("declare", "number"),
    [
        (lambda: _entity(Thing, no_key), "SK113"),
        (lambda: _entity(Thing, computing), "SK113.*computed"),
        (lambda: _entity(Thing, branching), "SK113.*branches"),
        (lambda: _entity(Thing, asking), "SK113.*branches"),
        (lambda: _entity(Thing, looking_up), "SK113.*asks what id is"),
        (lambda: _entity(Thing, calling_a_brancher), "SK113.*asks what id is"),
        (lambda: _entity(Thing, forgetting), "SK114"),
        (lambda: _entity(Thing, halved), "SK124"),
        (lambda: _entity(Whole, clashing), "SK125"),
        (lambda: _entity(Lost, fine), "SK126"),
        (lambda: _entity(Thing, optional), "SK127"),
        (lambda: _entity(Thing, misnamed), "SK106"),
        (lambda: _entity(Thing, mistyped), "SK107"),
        (lambda: _entity(Timed, fine, ttl="expires"), "SK123"),
        (lambda: _entity(Thing, fine, type="x"), "SK118"),
        (lambda: _entity(Thing, fine, discriminator="type"), "SK118"),
        (lambda: Index("i", ("a", "b", "c", "d", "e")), "SK115"),
        (lambda: _table(indexes=[Index("twins", "a"), Index("twins", "b")]), "SK116"),
        (two_tables_one_name, "SK116"),
        (two_entities_one_key, "SK119"),
        (two_types_of_key, "SK121"),
        (index_of_nobody, "SK122"),
        (empty_table, "SK139"),
        (lambda: Design("x", tables="same"), "SK138"),
        (lambda: users.unique("{email}", users), "SK136"),
        (lambda: collection(tasks, notices), "SK144"),
        (lambda: collection(teams, members, index="invert"), "SK145"),
        (lambda: Reactions(design).on(notices), "SK146"),
    ],
)
def test_designs_that_do_not_load(declare: Any, number: str) -> None:
    with pytest.raises(DesignError, match=number):
        declare()


def test_uniqueness_needs_a_constant_beginning() -> None:
    made = Design("x")
    table = made.table("things", "id")
    markers = made.table("markers", "key").markers()

    def things(id: int) -> Key:
        return Key(id)

    entity = table.entity(Numbered)(things)
    with pytest.raises(DesignError, match="SK137"):
        entity.unique("{id}", markers)


def test_uniqueness_of_what_expires_is_refused() -> None:
    made = Design("x")
    table = made.table("things", "PK", "SK", ttl="other")

    @model
    class Fleeting:
        id: Attr[str] = part()
        other: Attr[int | None] = attr(default=None)

    entity = table.entity(Fleeting)(fine)
    with pytest.raises(DesignError, match="SK149"):
        entity.unique("ID#{id}", made.table("markers", "key").markers())


def test_a_key_may_have_keyword_parameters_and_defaults() -> None:
    @model
    class Dated:
        id: Attr[str] = part()
        day: Attr[date] = part()
        sort: Attr[str] = template("{day}#{id}")
        expires: Attr[int | None] = attr(default=None)

    table = _table()

    @table.entity(Dated)
    def dated(id: str, *, day: date = date(2025, 1, 1)) -> Key:
        return Key(f"A#{id}", f"D#{day}")

    assert dated("x").key == {"PK": {"S": "A#x"}, "SK": {"S": "D#2025-01-01"}}
    assert dated("x", day=date(2025, 2, 2)) != dated("x")
    assert dated.parse(dated("x").key) == {"id": "x", "day": date(2025, 1, 1)}


def test_asking_again_leaves_nothing_behind() -> None:
    """Every request asks; what grew with each would fill a process, and every start would check all of it."""
    before = [len(table.views) for table in design.tables.values()]
    for _ in range(3):
        tasks.index("by_group")
        collection(teams, members)
    assert [len(table.views) for table in design.tables.values()] == before


def test_a_design_is_checked_again_when_something_was_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    from sekkei.design import ambiguity

    made = Design("shop")
    table = made.table("things", "pk")

    @model
    class Thing:
        id: Attr[str] = part()

    checked: list[str] = []
    monkeypatch.setattr(ambiguity, "check_table", lambda table: checked.append(table.name))
    table.entity(Thing)(_thing_key)
    made.check()
    made.check()
    assert checked == ["things"]
    made.table("others", "pk").entity(Thing)(_other_key)
    made.check()
    assert checked == ["things", "things", "others"]


def _thing_key(id: str) -> Key:
    return Key(f"THING#{id}")


def _other_key(id: str) -> Key:
    return Key(f"OTHER#{id}")
