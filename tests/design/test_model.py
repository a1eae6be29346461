from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.design import (
    Attr,
    DesignError,
    ItemRefused,
    ValueRefused,
    approximate,
    attr,
    computed,
    epoch,
    iso,
    model,
    part,
    replace,
    template,
    time_of_day,
    version,
)
from sekkei.design.model import described
from sekkei.testing import make
from tests.design.example import Color, Status, Task


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(StrEnum):
    A = "a"


@model
class Everything:
    text: Attr[str]
    number: Attr[int]
    exact: Attr[Decimal]
    flag: Attr[bool]
    raw: Attr[bytes]
    day: Attr[date]
    hour: Attr[time]
    second: Attr[time] = attr(stored_as=time_of_day(seconds=True))
    at: Attr[datetime]
    jst: Attr[datetime] = attr(stored_as=iso("+09:00", 0))
    expires: Attr[datetime] = attr(stored_as=epoch())
    ratio: Attr[float] = attr(stored_as=approximate())
    level: Attr[Level]
    word: Attr[Word]
    choice: Attr[Literal["x", "y"]]
    color: Attr[Color]
    names: Attr[list[str]]
    pair: Attr[tuple[int, ...]]
    gaps: Attr[list[int | None]]
    tags: Attr[frozenset[str]]
    numbers: Attr[set[int]]
    blobs: Attr[frozenset[bytes]]
    colors: Attr[list[Color]]
    by_name: Attr[dict[str, Decimal]]
    anything: Attr[Any]
    maybe: Attr[str | None] = attr(default=None)


texts = st.text(max_size=5)
numbers = st.integers(-(10**37), 10**37)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))
plain = st.recursive(
    st.none() | st.booleans() | numbers | texts | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
instances = st.builds(
    Everything,
    text=texts,
    number=numbers,
    exact=decimals,
    flag=st.booleans(),
    raw=st.binary(max_size=5),
    day=st.dates(),
    hour=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    second=st.times().map(lambda at: at.replace(microsecond=0)),
    at=moments.map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)),
    jst=moments.map(lambda at: at.replace(microsecond=0, tzinfo=UTC)),
    expires=st.integers(0, 10**10).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    ratio=st.floats(allow_nan=False, allow_infinity=False, width=32),
    level=st.sampled_from(Level),
    word=st.sampled_from(Word),
    choice=st.sampled_from(["x", "y"]),
    color=st.builds(Color, text=texts, background=texts),
    names=st.lists(texts, max_size=3),
    pair=st.lists(numbers, max_size=3).map(tuple),
    gaps=st.lists(st.none() | numbers, max_size=3),
    tags=st.frozensets(texts, max_size=3),
    numbers=st.sets(numbers, max_size=3),
    blobs=st.frozensets(st.binary(max_size=3), max_size=3),
    colors=st.lists(st.builds(Color, text=texts), max_size=2),
    by_name=st.dictionaries(texts, decimals, max_size=3),
    anything=plain,
    maybe=st.none() | texts,
)


@settings(max_examples=150, deadline=None)
@given(instance=instances)
def test_every_type_comes_back_as_it_was(instance: Everything) -> None:
    described_model = described(Everything)
    stored = described_model.encode(instance)
    assert described_model.decode(stored) == instance
    assert all(len(value) == 1 for value in stored.values())


def test_stored_forms() -> None:
    stored = described(Task).encode(
        Task(team_id="t", task_id="k", title="x", tags=frozenset({"b", "a"}), seen=datetime(2025, 1, 1, tzinfo=UTC))
    )
    assert stored["tags"] == {"SS": ["a", "b"]}
    assert stored["seen"] == {"S": "2025-01-01T09:00:00+09:00"}
    assert stored["effort"] == {"N": "0"}
    assert stored["status_group"] == {"S": "TEAM#t#open"}
    assert "due" not in stored
    assert "team_id" not in stored


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", 1),
        ("text", Word.A),
        ("number", True),
        ("number", 1.5),
        ("number", 10**38 + 1),
        ("exact", 1.5),
        ("exact", Decimal("Infinity")),
        ("exact", Decimal("1." + "1" * 40)),
        ("flag", 1),
        ("raw", "x"),
        ("day", datetime(2025, 1, 1)),
        ("hour", "10:00"),
        ("at", datetime(2025, 1, 1)),
        ("at", date(2025, 1, 1)),
        ("expires", datetime(2025, 1, 1)),
        ("expires", 5),
        ("ratio", float("nan")),
        ("level", 1),
        ("choice", "z"),
        ("color", {"text": "x"}),
        ("names", "abc"),
        ("names", [1]),
        ("tags", ["a"]),
        ("tags", {1}),
        ("by_name", {1: Decimal(1)}),
        ("by_name", []),
        ("anything", object()),
        ("anything", {1: 2}),
        ("anything", set()),
        ("text", None),
    ],
)
def test_wrong_values_are_refused_with_the_attributes_name(name: str, value: Any) -> None:
    with pytest.raises(ValueRefused, match=rf"SK201: Everything\.{name} "):
        described(Everything).encode(replace(make(Everything), **{name: value}))


def test_instances_are_values() -> None:
    task = Task(team_id="t", task_id="k", title="x")
    assert task == Task(team_id="t", task_id="k", title="x")
    assert task != replace(task, title="y")
    assert task != "x"
    with pytest.raises(AttributeError, match="does not change"):
        task.title = "y"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="does not change"):
        del task.title
    with pytest.raises(TypeError):
        Task(team_id="t", task_id="k")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Task("t", "k", "x")  # type: ignore[misc]
    assert repr(task).startswith("Task(team_id='t', task_id='k', title='x', status=")
    assert copy.deepcopy(task) == task
    assert pickle.loads(pickle.dumps(task)) == task
    assert hash(Color(text="a")) == hash(Color(text="a"))
    assert {Color(text="a"), Color(text="a")} == {Color(text="a")}


def test_defaults_are_not_shared() -> None:
    one, two = Task(team_id="t", task_id="k", title="x"), Task(team_id="t", task_id="k", title="x")
    one.log.append("changed")
    assert two.log == []


def test_derived_values_follow_the_instance() -> None:
    task = Task(team_id="t", task_id="k", title="x", rank=7)
    assert (task.group, task.start_sort, task.ranked) == ("TEAM#t#open", "START#9999-12-31", "todo#0007#k")
    done = replace(task, status=Status.DONE, start=date(2025, 1, 1))
    assert (done.group, done.start_sort, done.ranked) == ("TEAM#t#closed", "START#2025-01-01", "done#0007#k")
    assert task.waiting is None


def test_models_inherit() -> None:
    @model
    class Base:
        id: Attr[str]

    @model
    class Derived(Base):
        name: Attr[str] = attr(default="x")

    assert Derived(id="1").name == "x"
    assert list(described(Derived).fields) == ["id", "name"]


def test_old_forms_of_a_time_are_read() -> None:
    stored = {"S": "2025-08-20T05:13:10Z"}
    assert Everything.at.codec.decode(stored) == datetime(2025, 8, 20, 5, 13, 10, tzinfo=UTC)
    with pytest.raises(ValueError, match="without a zone"):
        Everything.at.codec.decode({"S": "2025-08-20T05:13:10"})


def test_whole_numbers_in_other_forms_are_read() -> None:
    assert Everything.number.codec.decode({"N": "1E+3"}) == 1000
    with pytest.raises(ValueError, match=r"1\.5"):
        Everything.number.codec.decode({"N": "1.5"})


def test_a_nested_model_names_what_is_wrong() -> None:
    with pytest.raises(ItemRefused, match="SK501: attribute 'text' of an item read as Color is absent"):
        described(Color).decode({})


def broken_union() -> Any:
    @model
    class Broken:
        x: Attr[str | int]


def broken_float() -> Any:
    @model
    class Broken:
        x: Attr[float]


def broken_type() -> Any:
    @model
    class Broken:
        x: Attr[complex]


def broken_set() -> Any:
    @model
    class Broken:
        x: Attr[set[bool]]


def broken_tuple() -> Any:
    @model
    class Broken:
        x: Attr[tuple[int, str]]


def broken_version() -> Any:
    @model
    class Broken:
        x: Attr[str] = version()  # type: ignore[assignment]


def broken_default() -> Any:
    @model
    class Broken:
        x: Attr[str] = "default"  # type: ignore[assignment]


def broken_names() -> Any:
    @model
    class Broken:
        x: Attr[str] = attr("same")
        y: Attr[str] = attr("same")


def broken_template() -> Any:
    @model
    class Broken:
        x: Attr[str] = template("A#{nobody}")


def broken_computed() -> Any:
    def wrong(nobody: str) -> str:
        return nobody

    @model
    class Broken:
        x: Attr[str] = computed(wrong)


def broken_computed_type() -> Any:
    def wrong(y: int) -> str:
        return str(y)

    @model
    class Broken:
        y: Attr[str]
        x: Attr[str] = computed(wrong)


def broken_cycle() -> Any:
    @model
    class Broken:
        x: Attr[str] = template("A#{y}")
        y: Attr[str] = template("B#{x}")


@pytest.mark.parametrize(
    ("declare", "number"),
    [
        (broken_union, "SK110"),
        (broken_float, "SK110.*approximate"),
        (broken_type, "SK110"),
        (broken_set, "SK110"),
        (broken_tuple, "SK110"),
        (broken_version, "SK110"),
        (broken_default, r"SK109.*attr\(default='default'\)"),
        (broken_names, "SK111"),
        (broken_template, "SK101"),
        (broken_computed, "SK106"),
        (broken_computed_type, "SK107"),
        (broken_cycle, "SK108"),
        (lambda: described(Status), "SK112"),
    ],
)
def test_models_that_do_not_load(declare: Any, number: str) -> None:
    with pytest.raises(DesignError, match=number):
        declare()


def test_a_part_alone_is_kept_on_the_instance() -> None:
    @model
    class Thing:
        id: Attr[str] = part()

    assert Thing(id="x").id == "x"
    assert described(Thing).encode(Thing(id="x")) == {}


def test_an_enum_of_mixed_values_is_stored_as_text() -> None:
    class Mixed(Enum):
        A = "a"
        B = 2

    @model
    class Thing:
        kind: Attr[Mixed]

    for kind in Mixed:
        assert described(Thing).decode(described(Thing).encode(Thing(kind=kind))) == Thing(kind=kind)
