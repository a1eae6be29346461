"""Each rule on a design that breaks it and on one that does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from inspect import signature
from typing import Any

import pytest

from sekkei.advice.findings import rules
from sekkei.design import (
    Attr,
    Capacity,
    Design,
    Index,
    Key,
    LocalIndex,
    Query,
    Transaction,
    Units,
    Update,
    approximate,
    attr,
    collection,
    epoch,
    model,
    part,
    template,
)
from tests.advice.conftest import State, Thing, found, thing_design

Built = tuple[Design, dict[str, Units]]


@model
class Entry:
    kind: Attr[State] = attr()
    day: Attr[date] = attr()
    at: Attr[datetime] = attr()
    id: Attr[str] = attr()
    count: Attr[int] = attr(default=0)


@model
class Owner:
    owner: Attr[str] = part()
    name: Attr[str] = attr(default="")


def _entries(key: Callable[..., Key]) -> Callable[[], Built]:
    """A table of entries whose key is made so, and a pattern that counts in one of them."""

    def build() -> Built:
        design = Design("small")
        table = design.table("entries", "PK", "SK", pitr=True, deletion_protection=True)
        entries = table.entity(Entry)(key)
        given = {"kind": State.OPEN, "day": date(2026, 11, 15), "at": datetime(2026, 11, 15, tzinfo=UTC), "id": "x"}
        names = list(signature(key).parameters)

        @design.pattern
        def count() -> Update[Entry]:
            """Count."""
            return entries.update(**{name: given[name] for name in names}).add(Entry.count, 1)

        return design, {}

    return build


def log_by_id(id: str) -> Key:
    return Key("LOG", f"{id}")


def log_by_time(at: datetime, id: str) -> Key:
    return Key("LOG", f"{at}#{id}")


def by_id(id: str) -> Key:
    return Key(f"{id}", "X")


def by_day(day: date, id: str) -> Key:
    return Key(f"{day}", f"{id}")


def by_day_and_id(day: date, id: str) -> Key:
    return Key(f"{day}#{id}", "X")


def the_only_one() -> Key:
    return Key("ONE", "ONE")


def _indexed(*indexes: Index, patterns: bool = True, **options: object) -> Callable[[], Built]:
    def build() -> Built:
        design, things = thing_design(*indexes, **options)
        for index in indexes if patterns else ():

            def read(index: Index = index) -> Query[Thing]:
                """Read it."""
                view = things.index(index.name)
                return view.where(
                    *(
                        getattr(Thing, name) == getattr(Thing(owner="a", id="b"), name)
                        for name in index.pk
                        if name not in ("PK", "SK")
                    ),
                    *((Thing.owner == "a",) if "PK" in index.pk else ()),
                )

            read.__name__ = f"by_{index.name}"
            design.pattern(sample={"index": index})(read)
        return design, {}

    return build


def _pattern(make: Callable[[Any], Any], units: Units | None = None, *indexes: Index) -> Callable[[], Built]:
    def build() -> Built:
        design, things = thing_design(*indexes)

        @design.pattern
        def asked() -> Any:
            """Ask."""
            return make(things)

        return design, {} if units is None else {"asked": units}

    return build


def _together(shared: bool) -> Callable[[], Built]:
    """Owners and things in one partition; the query of owners reads things, or does not."""

    def build() -> Built:
        design, things = thing_design()
        table = design.tables["things"]

        def between(owner: str, name: str) -> Key:
            return Key(f"OWNER#{owner}", f"THING#{name}#OWNER")

        def apart(owner: str, name: str) -> Key:
            return Key(f"OWNER#{owner}", f"OWNER#{name}")

        table.entity(Owner)(between if shared else apart)

        @design.pattern
        def all_of(owner: str) -> Query[Thing]:
            """All things."""
            return things.where(Thing.owner == owner)

        return design, {"all_of": Units(2.0, 0.0, 3, 30 if shared else 3)}

    return build


def _busy(users: int) -> Callable[[], Built]:
    """So many people count in one item of the log."""

    def build() -> Built:
        design, _ = _entries(the_only_one)()
        return design, {"count": Units(0.0, 1.0, 1), "users": Units(float(users), 0.0, 0)}

    return build


def _example(thing: Thing, counted: bool = False) -> Callable[[], Built]:
    def build() -> Built:
        design, things = thing_design()
        things.example(thing)

        @design.pattern
        def count() -> Update[Thing]:
            """Count."""
            update: Update[Thing] = things.update("a", "b")
            return update.add(Thing.seen, 1) if counted else update.set(Thing.seen, 1)

        return design, {}

    return build


@model
class Measure:
    where: Attr[str] = attr()
    degrees: Attr[float] = attr(stored_as=approximate())
    steps: Attr[int] = attr(default=0)


def _keyed_by(stored: str) -> Callable[[], Built]:
    """A table whose sort key is an attribute of this name."""

    def build() -> Built:
        design = Design("small")
        table = design.table("measures", "where", stored, pitr=True, deletion_protection=True)

        def by_degrees(where: str, degrees: float) -> Key:
            return Key(where, degrees)

        def by_steps(where: str, steps: int) -> Key:
            return Key(where, steps)

        table.entity(Measure)(by_degrees if stored == "degrees" else by_steps)
        return design, {}

    return build


def _two_in_an_index(projection: Any) -> Callable[[], Built]:
    def build() -> Built:
        design = Design("small")
        table = design.table(
            *("things", "PK", "SK"),
            discriminator="type",
            pitr=True,
            deletion_protection=True,
            indexes=[Index("by_at", "owner_key", "at", projection=projection)],
        )
        table.entity(Held, type="held")(held)
        table.entity(Lent, type="lent")(lent)
        return design, {}

    return build


@model
class Held:
    owner: Attr[str] = part()
    owner_key: Attr[str] = template("HELD#{owner}", "owner_key")
    at: Attr[datetime] = attr()


@model
class Lent:
    owner: Attr[str] = part()
    owner_key: Attr[str] = template("LENT#{owner}", "owner_key")
    at: Attr[datetime] = attr()


def held(owner: str) -> Key:
    return Key(f"HELD#{owner}", "X")


def lent(owner: str) -> Key:
    return Key(f"LENT#{owner}", "X")


def same_keys(owner: str, name: str) -> Key:
    return Key(f"OWNER#{owner}", f"THING#{name}")


def other_keys(owner: str, name: str) -> Key:
    return Key(f"OWNER#{owner}", f"OTHER#{name}")


def _meeting(keys: Callable[..., Key]) -> Callable[[], Built]:
    def build() -> Built:
        design, _ = thing_design()
        design.tables["things"].entity(Other)(keys)
        return design, {}

    return build


@model
class Other:
    owner: Attr[str] = part()
    name: Attr[str] = part()


def _prefixed(inside: bool) -> Callable[[], Built]:
    """`THING#{beginning}` has no end; a part that is compared whole has one."""

    def build() -> Built:
        design, things = thing_design()

        @design.pattern
        def asked(beginning: str) -> Query[Thing]:
            """Ask."""
            test = Thing.id.begins_with(beginning) if inside else Thing.id == beginning
            return things.where(Thing.owner == "a", test)  # type: ignore[no-any-return]

        return design, {}

    return build


@model
class Passing:
    owner: Attr[str] = part()
    ends: Attr[datetime] = attr(stored_as=epoch())


def _lasting(shown: bool, **options: Any) -> Callable[[], Built]:
    def build() -> Built:
        design = Design("small")
        table = design.table("passing", "PK", ttl="ends", pitr=True, deletion_protection=True, **options)

        @table.entity(Passing)
        def passing(owner: str) -> Key:
            return Key(f"OWNER#{owner}")

        @design.pattern
        def asked(owner: str) -> Query[Passing]:
            """Ask."""
            found = passing.where(Passing.owner == owner)
            return found.with_expired() if shown else found

        return design, {}

    return build


def _scans(whole: bool) -> Callable[[], Built]:
    def build() -> Built:
        design, things = thing_design()

        def asked() -> Query[Thing]:
            """Ask."""
            every: Query[Thing] = things.scan()
            some: Query[Thing] = things.where(Thing.owner == "a")
            return every if whole else some

        design.pattern(scan="every night")(asked) if whole else design.pattern(asked)
        return design, {}

    return build


BY_STATE = Index("by_state", "state", "at")


def _by_email(*, one: bool, unique: bool = False) -> Callable[[], Built]:
    def build() -> Built:
        design, things = thing_design(BY_EMAIL)
        if unique:
            things.unique("EMAIL#{email}", design.table("marks", "PK", pitr=True, deletion_protection=True).markers())

        @design.pattern
        def things_at(email: str) -> Query[Thing]:
            """Whatever has this address."""
            asked = things.index("by_email").where(Thing.email == email)
            return asked.page_of(1) if one else asked

        return design, {}

    return build


BY_EMAIL = Index("by_email", "email")
BY_OWNER = Index("by_owner", "PK", "at")
SMALL, LARGE = Thing(owner="a", id="b"), Thing(owner="a", id="b", email="x" * 110_000)
WIDE = Thing(owner="a" * 1_600, id="b")
CASES: dict[str, tuple[Callable[[], Built], Callable[[], Built]]] = {
    "R2": (_busy(10_000_000), _busy(1_000)),
    "R6": (_busy(1_000_000_000), _busy(10_000_000)),
    "R7": (_busy(100_000_000), _busy(1_000_000)),
    "R8": (_example(WIDE), _example(SMALL)),
    "R9": (_prefixed(inside=True), _prefixed(inside=False)),
    "R11": (_meeting(same_keys), _meeting(other_keys)),
    "R14": (_keyed_by("degrees"), _keyed_by("steps")),
    "R15": (_example(LARGE), _example(SMALL)),
    "R18": (_example(LARGE, counted=True), _example(LARGE)),
    "R29": (_two_in_an_index("KEYS_ONLY"), _two_in_an_index("ALL")),
    "R33": (_scans(whole=True), _scans(whole=False)),
    "R42": (_lasting(shown=True), _lasting(shown=False)),
    "R43": (_lasting(shown=False, stream="NEW_AND_OLD_IMAGES"), _lasting(shown=False)),
    "R1": (_entries(log_by_id), _entries(by_id)),
    "R3": (_entries(by_day), _entries(by_day_and_id)),
    "R4": (_entries(log_by_time), _entries(log_by_id)),
    "R5": (_entries(the_only_one), _entries(log_by_id)),
    "R16": (
        _pattern(lambda things: things.update("a", "b").append(Thing.log, ["x"])),
        _pattern(lambda things: things.update("a", "b").set(Thing.log, ["x"])),
    ),
    "R17": (_indexed(LocalIndex("by_at", "at"), patterns=False), _indexed(BY_OWNER)),
    "R21": (_indexed(BY_STATE), _indexed(BY_OWNER)),
    "R22": (
        _indexed(Index("by_owner", "PK", "at", capacity=Capacity(1, 1)), capacity=Capacity(5, 5)),
        _indexed(Index("by_owner", "PK", "at", capacity=Capacity(5, 5)), capacity=Capacity(5, 5)),
    ),
    "R23": (
        _pattern(lambda things: things.update("a", "b").set(Thing.state, State.DONE), None, BY_STATE),
        _pattern(lambda things: things.update("a", "b").set(Thing.seen, 2), None, BY_STATE),
    ),
    "R24": (
        _pattern(
            lambda things: things.update("a", "b").set(Thing.seen, 2),
            Units(0.0, 5.0, 1, indexes={"things.by_state": 4.0}),
        ),
        _pattern(
            lambda things: things.update("a", "b").set(Thing.seen, 2),
            Units(0.0, 2.0, 1, indexes={"things.by_state": 1.0}),
        ),
    ),
    "R27": (_indexed(BY_EMAIL), _indexed(BY_OWNER)),
    "R28": (_indexed(Index("by_note", "PK", "note"), patterns=False), _indexed(BY_OWNER)),
    "R31": (_indexed(BY_OWNER, patterns=False), _indexed(BY_OWNER)),
    "R34": (
        _pattern(
            lambda things: things.where(Thing.owner == "a").filter(Thing.seen == 1),
            Units(5.0, 0.0, 2, 50),
        ),
        _pattern(
            lambda things: things.where(Thing.owner == "a").filter(Thing.seen == 1),
            Units(5.0, 0.0, 40, 50),
        ),
    ),
    "R37": (
        _pattern(lambda things: Transaction(things.delete("a", "b"), things.delete("a", "c"))),
        _pattern(lambda things: things.delete("a", "b")),
    ),
    "R38": (_by_email(one=True), _by_email(one=True, unique=True)),
    "R39": (
        _pattern(lambda things: things.put(Thing(owner="a", id="b"))),
        _pattern(lambda things: things.create(Thing(owner="a", id="b"))),
    ),
    "R44": (_indexed(stream="KEYS_ONLY"), _indexed(stream="NEW_AND_OLD_IMAGES")),
    "R47": (_indexed(pitr=False), _indexed()),
    "R48": (_together(shared=True), _together(shared=False)),
}


def findings(built: Built) -> dict[str, set[str]]:
    design, units = built
    users = units.pop("users", Units(0.0, 0.0, 0)).read
    return found(design, units, int(users))


@pytest.mark.parametrize("rule", CASES)
def test_the_mistake_is_found(rule: str) -> None:
    assert rule in findings(CASES[rule][0]())


@pytest.mark.parametrize("rule", CASES)
def test_without_it_nothing_is_said(rule: str) -> None:
    assert rule not in findings(CASES[rule][1]())


def test_every_rule_has_both_designs_or_is_kept_by_the_library() -> None:
    assert {id for id, rule in rules().items() if not rule.kept} == set(CASES)


def test_every_rule_has_words() -> None:
    for id, rule in rules().items():
        assert rule.title, id
        assert rule.kept or (rule.fact and rule.remedy), id


def test_collections_may_share_a_partition() -> None:
    design, things = thing_design()
    table = design.tables["things"]

    @table.entity(Owner)
    def owners(owner: str) -> Key:
        return Key(f"OWNER#{owner}", "OWNER")

    @design.pattern
    def everything(owner: str) -> Query[Thing | Owner]:
        """Both kinds."""
        return collection(things, owners).where(Owner.owner == owner)

    assert "R48" not in found(design, {"everything": Units(1.0, 0.0, 3, 3)})


def test_a_name_does_not_make_anything_unique() -> None:
    """Whether `things_at` finds one or many is not to be told from names."""
    assert "R38" not in findings(_by_email(one=False)())
    assert "R38" not in findings(_by_email(one=True, unique=True)())


def test_who_enters_an_index_or_is_set_once_does_not_move() -> None:
    by_note = Index("by_note", "note")
    entering = _pattern(lambda things: things.update("a", "b").set(Thing.note, "x"), None, by_note)
    once = _pattern(lambda things: things.upsert("a", "b").set_if_absent(Thing.state, State.DONE), None, BY_STATE)
    assert "R23" not in findings(entering())
    assert "R23" not in findings(once())
