from __future__ import annotations

import hashlib
import hmac

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.refusals import Refusal
from sekkei_systems.lessons.ports.timetable.push import signature_of, verify_push
from tests.systems.lessons.world import LESSON


@pytest.mark.parametrize(
    ("body", "secret", "age"),
    [(b"{}x", b"secret", 0), (b"{}", b"other", 0), (b"{}", b"secret", 301), (b"{}", b"", -301)],
)
def test_forged_or_old_pushes_are_refused(clock: ManualClock, body: bytes, secret: bytes, age: int) -> None:
    stamp = str(int(clock.now()) - age)
    signature = signature_of(secret, stamp, str(LESSON), b"{}")
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), body, signature, stamp, clock)


def test_a_good_push_is_accepted(clock: ManualClock) -> None:
    stamp = str(int(clock.now()))
    signed = f"{stamp}.{LESSON}.{{}}".encode()
    signature = "sha256=" + hmac.new(b"secret", signed, hashlib.sha256).hexdigest()
    verify_push(b"secret", str(LESSON), b"{}", signature, stamp, clock)
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON).replace("19:30", "20:30"), b"{}", signature, stamp, clock)


@pytest.mark.parametrize("stamp", ["", "x", "１", "-1", "9" * 400, "9" * 5000])
def test_a_time_that_is_none_is_refused(clock: ManualClock, stamp: str) -> None:
    with pytest.raises(Refusal):
        verify_push(b"secret", str(LESSON), b"{}", signature_of(b"secret", stamp, str(LESSON), b"{}"), stamp, clock)
