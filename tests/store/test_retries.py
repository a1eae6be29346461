from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.errors import InternalServerError, StoreClosed, ThrottlingException, ValidationException
from sekkei.store import Embedded
from sekkei.store.retries import Retries, Retrying
from tests.scripted_store import ScriptedStore, raises


async def test_a_store_that_fails_is_asked_again(naps):
    embedded = Embedded()
    inner = ScriptedStore(embedded, before=raises(ThrottlingException("a"), InternalServerError("b")))
    store = Retrying(inner, clock=ManualClock(), sleep=naps)
    assert await store.call("ListTables", {"Limit": 1}) == {"TableNames": []}
    assert inner.asked == [("ListTables", {"Limit": 1})] * 3
    assert len(naps) == 2
    await store.close()
    with pytest.raises(StoreClosed):
        await embedded.call("ListTables", {})


async def test_a_transaction_gets_one_token_for_all_attempts(naps):
    inner = ScriptedStore(before=raises(InternalServerError("a")))
    await Retrying(inner, sleep=naps).call("TransactWriteItems", {"TransactItems": []})
    first, second = (request["ClientRequestToken"] for _, request in inner.asked)
    assert first == second


async def test_a_users_mistake_is_not_tried_again(naps):
    inner = ScriptedStore(before=raises(ValidationException("no")))
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
