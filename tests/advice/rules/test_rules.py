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
    attr,
    collection,
    model,
    part,
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

        def between(owner: str) -> Key:
            return Key(f"OWNER#{owner}", "THING")

        def apart(owner: str) -> Key:
            return Key(f"OWNER#{owner}", "OWNER")

        table.entity(Owner)(between if shared else apart)

        @design.pattern
        def all_of(owner: str) -> Query[Thing]:
            """All things."""
            return things.where(Thing.owner == owner)

        return design, {"all_of": Units(2.0, 0.0, 3, 30 if shared else 3)}

    return build


BY_STATE = Index("by_state", "state", "at")
BY_EMAIL = Index("by_email", "email")
BY_OWNER = Index("by_owner", "PK", "at")
CASES: dict[str, tuple[Callable[[], Built], Callable[[], Built]]] = {
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
    "R38": (_indexed(BY_EMAIL), _indexed(BY_OWNER)),
    "R39": (
        _pattern(lambda things: things.put(Thing(owner="a", id="b"))),
        _pattern(lambda things: things.create(Thing(owner="a", id="b"))),
    ),
    "R44": (_indexed(stream="KEYS_ONLY"), _indexed(stream="NEW_AND_OLD_IMAGES")),
    "R47": (_indexed(pitr=False), _indexed()),
    "R48": (_together(shared=True), _together(shared=False)),
}


@pytest.mark.parametrize("rule", CASES)
def test_the_mistake_is_found(rule: str) -> None:
    design, units = CASES[rule][0]()
    assert rule in found(design, units)


@pytest.mark.parametrize("rule", CASES)
def test_without_it_nothing_is_said(rule: str) -> None:
    design, units = CASES[rule][1]()
    assert rule not in found(design, units)


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


def test_two_entities_with_one_key() -> None:
    design, _ = thing_design()

    @model
    class Other:
        owner: Attr[str] = part()
        name: Attr[str] = part()

    @design.tables["things"].entity(Other)
    def others(owner: str, name: str) -> Key:
        return Key(f"OWNER#{owner}", f"THING#{name}")

    assert found(design)["R11"] == {"things: things, others"}
