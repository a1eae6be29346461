"""One-time codes against the vectors of the two RFCs."""

from __future__ import annotations

import pytest

from sekkei.runtime import totp

KEY = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_appendix_b_of_rfc_6238(seconds: int, expected: str) -> None:
    assert totp.code(KEY, totp.step_at(seconds), digits=8) == expected


def test_appendix_d_of_rfc_4226() -> None:
    expected = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    assert [totp.code(KEY, counter) for counter in range(10)] == expected


def test_a_step_of_drift_and_no_code_twice() -> None:
    now = 1_000_000.0
    here = totp.step_at(now)
    for step in (here - 1, here, here + 1):
        assert totp.matching_step(KEY, totp.code(KEY, step), now) == step
        assert totp.matching_step(KEY, totp.code(KEY, step), now, after=step) is None
    for step in (here - 2, here + 2):
        assert totp.matching_step(KEY, totp.code(KEY, step), now) is None
    assert totp.matching_step(KEY, f" {totp.code(KEY, here)[:3]} {totp.code(KEY, here)[3:]} ", now) == here
    for nonsense in ("", "12345", "１２３４５６", "abcdef", "0" * 100):
        assert totp.matching_step(KEY, nonsense, now) is None


def test_what_an_authenticator_reads() -> None:
    assert totp.base32(KEY) == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert totp.address(KEY, "Q. 管理", "a@example.com") == (
        "otpauth://totp/Q.%20%E7%AE%A1%E7%90%86:a@example.com"
        "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Q.%20%E7%AE%A1%E7%90%86"
    )
