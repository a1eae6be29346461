"""One table of tokens that were tampered with, tried on the signer and on every link of every system."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.signing import BadToken, OneTimeCode, Signer, TokenOver, same
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.settings import Secrets, Settings, from_environment
from sekkei_systems.chiipochi.service.access import Links as DonationLinks
from sekkei_systems.lessons.rules.links import Links as LessonLinks
from sekkei_systems.lessons.rules.slots import slot

OLD, NEW = b"the secret before", b"the secret of today"
NOW = 1_800_000_000.0
LESSON = slot("gnz", "2027-01-20", "19:30")
Doors = tuple[str, Callable[[str], object]]


def lesson_links(*secrets: bytes) -> list[Doors]:
    links, now = LessonLinks(Secrets(*secrets)), datetime.fromtimestamp(NOW, UTC)
    tap = links.tap("hana", LESSON, "wl_1", now)
    return [
        (tap, lambda token: links.read_tap(token, now)),
        (links.calendar("hana", "x"), links.read_calendar),
    ]


def donation_links(*secrets: bytes) -> list[Doors]:
    links = DonationLinks(Settings(secrets=Secrets(*secrets)), ManualClock(NOW))
    return [(links.order_token("U1|2027"), links.order_of), (links.my_token("U1"), links.user_of)]


def plain_tokens(*secrets: bytes) -> list[Doors]:
    signer = Signer("tests", secrets)
    return [(signer.sign({"a": ["本", 1]}, until=NOW + 1), lambda token: signer.read(token, NOW))]


MAKERS = [lesson_links, donation_links, plain_tokens]


@pytest.mark.parametrize("make", MAKERS)
def test_no_token_opens_after_a_change(make: Callable[..., list[Doors]]) -> None:
    doors = make(NEW)
    for token, open_it in doors:
        open_it(token)
        others = [other for other, _ in doors if other != token]
        cut = [token[:at] for at in range(len(token))]
        changed = [token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in range(len(token))]
        for wrong in [
            "",
            ".",
            "=",
            "é",
            "\ud800",
            "A" * 22,
            token + "A",
            token + "=",
            " " + token,
            *cut,
            *changed,
            *others,
        ]:
            with pytest.raises((BadToken, Refusal)):
                open_it(wrong)


@pytest.mark.parametrize("make", MAKERS)
def test_an_earlier_secret_opens_and_a_foreign_one_does_not(make: Callable[..., list[Doors]]) -> None:
    tokens = [token for token, _ in make(OLD)]
    for token, (_, open_it) in zip(tokens, make(NEW, OLD), strict=True):
        open_it(token)
    for token, (_, open_it) in zip(tokens, make(NEW), strict=True):
        with pytest.raises((BadToken, Refusal)):
            open_it(token)


def test_a_token_ends_at_its_moment() -> None:
    signer = Signer("tests", [NEW])
    token = signer.sign("x", until=NOW)
    assert signer.read(token, NOW - 0.001) == "x"
    for late in (NOW, NOW + 1e9):
        with pytest.raises(TokenOver):
            signer.read(token, late)
    assert signer.read(signer.sign("x"), 1e12) == "x"


def test_a_purpose_opens_nothing_of_another() -> None:
    one, other = Signer("one", [NEW]), Signer("other", [NEW])
    with pytest.raises(BadToken):
        other.read(one.sign("x"), NOW)
    assert not other.matches(one.mark("x"), "x")


def test_parts_of_a_mark_are_kept_apart() -> None:
    signer = Signer("tests", [NEW, OLD])
    marks = {signer.mark(*parts) for parts in [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ()]}
    assert len(marks) == 6
    assert signer.matches(signer.mark("a", "\ud800"), "a", "\ud800")
    assert signer.matches(Signer("tests", [OLD]).mark("a"), "a")
    assert not signer.matches("", "a")
    assert not signer.matches("é", "a")


@pytest.mark.parametrize(("left", "right"), [("", ""), ("é", "é"), ("\ud800", "\ud800")])
def test_texts_are_the_same(left: str, right: str) -> None:
    assert same(left, right)
    assert not same(left, right + "x")


@pytest.mark.parametrize("digits", [6, 8, 12])
def test_a_code_is_good_for_its_owner_only(digits: int) -> None:
    codes = OneTimeCode(Signer("codes", [NEW]), digits)
    code = codes.make()
    assert code.isdecimal()
    assert len(code) == digits
    mark = codes.mark(code, "hana", "mail")
    assert codes.matches(mark, code, "hana", "mail")
    for owner in [(), ("hana",), ("taro", "mail"), ("hanam", "ail")]:
        assert not codes.matches(mark, code, *owner)


def test_the_secret_before_comes_from_the_environment(tmp_path: Path) -> None:
    before = from_environment({"SEKKEI_SECRET": OLD.decode()}, data=tmp_path).secrets.signer("x")
    settings = from_environment({"SEKKEI_SECRET": NEW.decode(), "SEKKEI_SECRET_PREVIOUS": OLD.decode()}, data=tmp_path)
    assert settings.secrets.signer("x").matches(before.mark("a"), "a")
    assert settings.secrets.signer("x").mark("a") != before.mark("a")
    assert settings.get("secret_previous") == ""
    with pytest.raises(ValueError, match="too short"):
        from_environment({"SEKKEI_SECRET": NEW.decode(), "SEKKEI_SECRET_PREVIOUS": "short"}, data=tmp_path)


def test_ten_minutes_and_five_tries() -> None:
    assert (timedelta(minutes=10), 5) == (OneTimeCode.LIFE, OneTimeCode.TRIES_MAX)
