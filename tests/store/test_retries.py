from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.errors import InternalServerError, ThrottlingException, ValidationException
from sekkei.store.retries import Retries, Retrying


class Failing:
    """A store that fails with the given errors, then answers with what it was asked."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.asked: list[tuple[str, dict]] = []
        self.closed = False

    async def call(self, operation: str, request: dict) -> dict:
        self.asked.append((operation, request))
        if self.failures:
            raise self.failures.pop(0)
        return {"asked": dict(request)}

    async def close(self) -> None:
        self.closed = True


async def test_a_store_that_fails_is_asked_again(naps):
    inner = Failing(ThrottlingException("a"), InternalServerError("b"))
    store = Retrying(inner, clock=ManualClock(), sleep=naps)
    assert await store.call("Query", {"TableName": "t"}) == {"asked": {"TableName": "t"}}
    assert len(naps) == 2
    await store.close()
    assert inner.closed


async def test_a_transaction_gets_one_token_for_all_attempts(naps):
    inner = Failing(InternalServerError("a"))
    await Retrying(inner, sleep=naps).call("TransactWriteItems", {"TransactItems": []})
    first, second = (request["ClientRequestToken"] for _, request in inner.asked)
    assert first == second


async def test_a_users_mistake_is_not_tried_again(naps):
    inner = Failing(ValidationException("no"))
    with pytest.raises(ValidationException):
        await Retrying(inner, sleep=naps).call("Query", {})
    assert len(inner.asked) == 1


def test_delays_grow_to_a_cap_and_are_random_below_it():
    clock = ManualClock(seed=1)
    retries = Retries(base_seconds=1.0, cap_seconds=8.0)
    for failures, ceiling in [(1, 1.0), (2, 2.0), (4, 8.0), (9, 8.0)]:
        delays = [retries.delay(failures, clock) for _ in range(200)]
        assert 0 <= min(delays) < ceiling * 0.1
        assert ceiling * 0.9 < max(delays) < ceiling


def test_a_call_takes_at_least_one_attempt():
    with pytest.raises(ValueError):
        Retries(attempts=0)
