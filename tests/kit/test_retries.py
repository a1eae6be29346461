from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.retries import backoff, retry_after

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
AN_HOUR = 3600.0


def _date(seconds: float) -> str:
    return format_datetime(datetime.fromtimestamp(NOON, UTC) + timedelta(seconds=seconds), usegmt=True)


CASES: list[tuple[str, float | None]] = [
    ("0", 0.0),
    ("1", 1.0),
    (" 120 ", 120.0),
    ("0.7", 0.7),
    ("3600", AN_HOUR),
    ("3601", AN_HOUR),
    ("100000000", AN_HOUR),
    ("9" * 400, AN_HOUR),
    (_date(300), 300.0),
    (_date(-300), 0.0),
    (_date(1_000_000), AN_HOUR),
    ("Friday, 20-Nov-26 12:05:00 GMT", 300.0),
    ("Fri Nov 20 12:05:00 2026", 300.0),
    ("Fri, 20 Nov 2026 12:05:00", 300.0),
    ("", None),
    ("soon", None),
    ("inf", None),
    ("nan", None),
    ("-1", None),
    ("1e3", None),
    ("0x10", None),
    ("1_000", None),
    ("１２", None),
    ("Fri, 99 Nov 2026 12:05:00 GMT", None),
    ("Fri, 20 Nov 99999999999 12:05:00 GMT", None),
]
"""A header, and the seconds that it asks for at noon of 20 November 2026; None where it is not readable."""


@pytest.mark.parametrize(("header", "seconds"), CASES)
def test_retry_after(header: str, seconds: float | None) -> None:
    for value in (header, header.encode("utf-8")):
        assert retry_after(value, NOON) == seconds


def test_a_client_without_the_header_is_not_asked_to_wait() -> None:
    assert retry_after(None, NOON) is None


@pytest.mark.parametrize(
    ("number", "seconds"), [(0.7, 0.7), (60, 60.0), (1e9, AN_HOUR), (float("inf"), None), (-1, None)]
)
def test_numbers_are_read_as_their_text(number: float, seconds: float | None) -> None:
    assert retry_after(number, NOON) == seconds


def test_pauses_double_up_to_an_hour_and_half_of_them_is_random() -> None:
    clock = ManualClock(seed=1)
    for attempts, longest in ((0, 2), (1, 2), (2, 4), (5, 32), (12, AN_HOUR), (10_000, AN_HOUR)):
        pauses = [backoff(attempts, clock).total_seconds() for _ in range(100)]
        assert longest / 2 <= min(pauses) < longest * 0.6
        assert longest * 0.9 < max(pauses) <= longest
