from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.design import Attr, DesignError, ValueRefused, attr, iso, model, part
from sekkei.design.model import described
from sekkei.design.templates import Template


class Kind(Enum):
    A = "a"
    AB = "ab"


@model
class Parts:
    plain: Attr[str] = attr()
    other: Attr[str] = attr()
    id: Attr[str] = attr(form="EVT#{}")
    free: Attr[str] = attr(escape=True)
    day: Attr[date] = attr()
    at: Attr[datetime] = attr(stored_as=iso("+09:00", 0))
    number: Attr[int] = attr()
    kind: Attr[Kind] = attr()
    maybe: Attr[str | None] = attr(default=None)
    last: Attr[date | None] = attr(default=None, absent_as=date.max)
    flags: Attr[list[str]] = attr(default_factory=list)


def template(text: str) -> Template:
    return Template(text, described(Parts).fields, "#", "the test")


TEXTS = (
    "{plain}",
    "A#{plain}",
    "{plain}#{other}",
    "{plain}#USER#{other}",
    "{id}#{at}#{plain}",
    "{id}#USER#{other}",
    "X#{free}#{plain}",
    "{day}T{at}{plain}",
    "N#{number:05d}#{kind}#{day}",
    "{kind}#{number:03d}",
    "{plain}#{plain}#{day}",
)

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
plain = texts.filter(lambda text: "#" not in text)
moments = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30)).map(
    lambda at: at.replace(microsecond=0, tzinfo=timezone(timedelta(hours=9)))
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "plain": plain,
    "other": plain,
    "id": plain.map(lambda text: f"EVT#{text}"),
    "free": texts,
    "day": st.dates(),
    "at": moments,
    "number": st.integers(0, 999),
    "kind": st.sampled_from(Kind),
}
parts = st.fixed_dictionaries(VALUES)


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=60, deadline=None)
@given(values=parts)
def test_parsing_gives_back_what_was_built_in(text: str, values: dict[str, Any]) -> None:
    made = template(text)
    stored = made.encode(values)
    assert stored is not None
    assert made.fits(stored)
    found = made.parse(stored["S"])
    assert found == {component.field.name: values[component.field.name] for component in made.components}


tricky = st.text("a#%:2T-", min_size=1, max_size=4)


@pytest.mark.parametrize("text", TEXTS)
@settings(max_examples=80, deadline=None)
@given(one=parts, two=parts, texts=st.tuples(tricky, tricky, tricky, tricky, tricky, tricky))
def test_two_different_sets_of_parts_never_meet(text: str, one: Any, two: Any, texts: tuple[str, ...]) -> None:
    one = {**one, "plain": texts[0], "other": texts[1], "free": texts[2]}
    two = {**one, "plain": texts[3], "other": texts[4], "free": texts[5]}
    made = template(text)
    names = [component.field.name for component in made.components]
    try:
        first, second = made.encode(one), made.encode(two)
    except ValueRefused:
        return  # a delimiter in a value was refused, which is the other way of not meeting
    assert (first == second) == ([one[name] for name in names] == [two[name] for name in names])


@settings(max_examples=100, deadline=None)
@given(one=st.integers(0, 99999), two=st.integers(0, 99999))
def test_padded_numbers_sort_as_numbers(one: int, two: int) -> None:
    made = template("N#{number:05d}")
    first, second = made.encode({"number": one}), made.encode({"number": two})
    assert first is not None
    assert second is not None
    assert (first["S"] < second["S"]) == (one < two)


@settings(max_examples=100, deadline=None)
@given(one=moments, two=moments)
def test_times_sort_as_times(one: datetime, two: datetime) -> None:
    made = template("{at}#x")
    first, second = made.encode({"at": one}), made.encode({"at": two.astimezone(UTC)})
    assert first is not None
    assert second is not None
    assert (first["S"] < second["S"]) == (one < two)


def test_the_classic_collision_is_refused() -> None:
    made = template("{plain}#{other}")
    with pytest.raises(ValueRefused, match=r"SK203.*'a#b' contains the delimiter"):
        made.encode({"plain": "a#b", "other": "c"})
    with pytest.raises(ValueRefused, match="SK203"):
        made.encode({"plain": "a", "other": "b#c"})


def test_a_form_is_checked() -> None:
    made = template("{id}#USER#{other}")
    for bad in ("1", "EVT#", "evt#1"):
        with pytest.raises(ValueRefused, match=r"SK202.*must look like EVT#{}"):
            made.encode({"id": bad, "other": "u"})
    with pytest.raises(ValueRefused, match="SK203"):
        made.encode({"id": "EVT#1#2", "other": "u"})


def test_a_missing_part_gives_no_key_and_never_the_word_none() -> None:
    assert template("A#{maybe}").encode({"maybe": None}) is None
    assert template("{maybe}").encode({"maybe": None}) is None
    assert template("END#{last}").encode({"last": None}) == {"S": "END#9999-12-31"}


@pytest.mark.parametrize("foreign", ["", "A#", "B#x", "A#x#y", "x", "A#2025-13-01"], ids=lambda text: text or "empty")
def test_keys_of_other_forms_are_not_parsed(foreign: str) -> None:
    assert template("A#{day}").parse(foreign) is None
    assert not template("A#{number:02d}#{day}").fits({"S": foreign})


def test_the_right_shape_without_such_a_day_is_not_parsed() -> None:
    made = template("A#{day}")
    assert made.fits({"S": "A#2025-02-30"})
    assert made.parse("A#2025-02-30") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("{nobody}", "SK101"),
        ("A#{flags}", "SK102"),
        ("A#{number}", "SK103"),
        ("A#{plain:05d}", "SK103"),
        ("A#{number:>5}", "SK103"),
        ("{plain}{other}", "SK104"),
        ("{plain}X{other}", "SK104"),
        ("{plain}-#{other}", "SK104"),
    ],
)
def test_templates_that_cannot_be_told_apart_do_not_load(text: str, number: str) -> None:
    with pytest.raises(DesignError, match=number):
        template(text)


def test_an_enum_whose_value_holds_the_delimiter_does_not_load() -> None:
    class Odd(Enum):
        A = "a#b"

    @model
    class Thing:
        odd: Attr[Odd] = part()
        name: Attr[str] = part()

    with pytest.raises(DesignError, match="SK105"):
        Template("{odd}#{name}", described(Thing).fields, "#", "the test")


def test_whole_keys_keep_their_own_type_and_may_hold_anything() -> None:
    assert template("{plain}").encode({"plain": "a#b"}) == {"S": "a#b"}
    assert template("{number}").encode({"number": 5}) == {"N": "5"}
    assert template("{number}").kind == "N"
    assert template("{number}").parse("5") == {"number": 5}
