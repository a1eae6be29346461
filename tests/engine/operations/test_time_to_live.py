"""DescribeTimeToLive and UpdateTimeToLive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import housekeeping
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import ResourceNotFoundException, ValidationException
from tests.engine.conftest import Tables, item
from tests.engine.operations.calls import set_ttl
from tests.engine.operations.stream_reading import read, stream_arn
from tests.engine.refusals import AT_LEAST_ONE, NOT_NULL, faults, refusal


async def test_it_is_described(tables: Tables) -> None:
    await tables.create_plain()
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    answer = await set_ttl(tables)
    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}
    await set_ttl(tables, enabled=False)
    answer = await tables("DescribeTimeToLive", TableName="plain")
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}


YEAR = 365 * 24 * 3600


async def keys(tables: Tables, table: str = "plain") -> set[str]:
    return {found["pk"]["S"] for found in await tables.all(table)}


@pytest.fixture
async def expiring(tables: Tables) -> Tables:
    await tables.create_plain()
    await set_ttl(tables)
    return tables


async def test_what_is_refused(tables: Tables) -> None:
    await tables.create_plain()
    with pytest.raises(ValidationException, match=r"^TimeToLive is already disabled$"):
        await set_ttl(tables, enabled=False)
    await set_ttl(tables)
    with pytest.raises(ValidationException, match=r"^TimeToLive is already enabled$"):
        await set_ttl(tables)
    for enabled in (True, False):
        with pytest.raises(
            ValidationException,
            match=r"^TimeToLive is active on a different AttributeName: current AttributeName is expires$",
        ):
            await set_ttl(tables, enabled=enabled, attribute="other")
    with pytest.raises(ResourceNotFoundException, match="Table: none not found"):
        await set_ttl(tables, table="none")
    with pytest.raises(ResourceNotFoundException, match="Table: none not found"):
        await tables("DescribeTimeToLive", TableName="none")


async def test_an_item_is_deleted_when_its_time_has_come_and_not_before(expiring: Tables) -> None:
    now = int(expiring.clock.now())
    await expiring.put("plain", pk="soon", expires=now + 10)
    await expiring.put("plain", pk="later", expires=now + 100)
    await expiring.engine.sweep()
    assert await keys(expiring) == {"soon", "later"}
    expiring.clock.advance(10)
    assert await keys(expiring) == {"soon", "later"}, "until a sweep, what has expired can still be read"
    await expiring.engine.sweep()
    assert await keys(expiring) == {"later"}


async def test_values_that_dynamodb_ignores_are_ignored(expiring: Tables) -> None:
    now = int(expiring.clock.now())
    ignored: dict[str, Any] = {
        "none": {},
        "text": {"expires": str(now - 1)},
        "list": {"expires": [now - 1]},
        "set": {"expires": {"NS": [str(now - 1)]}},
        "six-years": {"expires": now - 6 * YEAR},
        "negative": {"expires": -1},
        "zero": {"expires": 0},
        "huge": {"expires": {"N": "1E100"}},
        "milliseconds": {"expires": now * 1000},
    }
    taken: dict[str, Any] = {
        "past": {"expires": now - 1},
        "four-years": {"expires": now - 4 * YEAR},
        "fraction": {"expires": {"N": f"{now - 1}.75"}},
        "exponent": {"expires": {"N": f"{now // 1000}E3"}},
    }
    for name, attributes in (ignored | taken).items():
        await expiring.put("plain", pk=name, **attributes)
    await expiring.engine.sweep()
    assert await keys(expiring) == ignored.keys()


async def test_a_changed_time_counts(expiring: Tables) -> None:
    now = int(expiring.clock.now())
    await expiring.put("plain", pk="prolonged", expires=now + 1)
    await expiring.put("plain", pk="prolonged", expires=now + 1000)
    await expiring.put("plain", pk="unlimited", expires=now + 1)
    await expiring("UpdateItem", TableName="plain", Key=item(pk="unlimited"), UpdateExpression="REMOVE expires")
    await expiring.put("plain", pk="shortened", expires=now + 1000)
    await expiring.put("plain", pk="shortened", expires=now + 1)
    expiring.clock.advance(5)
    await expiring.engine.sweep()
    assert await keys(expiring) == {"prolonged", "unlimited"}


async def test_the_stream_says_who_deleted(tables: Tables) -> None:
    await tables.create_plain(StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"})
    await set_ttl(tables)
    old = int(tables.clock.now()) - 5
    await tables.put("plain", pk="expired", expires=old)
    await tables.put("plain", pk="deleted", expires=old + 1000)
    await tables("DeleteItem", TableName="plain", Key=item(pk="deleted"))
    await tables.engine.sweep()
    records = await read(tables.engine, await stream_arn(tables.engine, "plain"))
    removed = {
        record["dynamodb"]["Keys"]["pk"]["S"]: record.get("userIdentity")
        for record in records
        if record["eventName"] == "REMOVE"
    }
    assert removed == {"deleted": None, "expired": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}}
    assert records[-1]["dynamodb"]["OldImage"] == item(pk="expired", expires=old)


async def test_indexes_lose_what_has_expired(tables: Tables) -> None:
    await tables.create()
    await set_ttl(tables, table="items")
    for number in range(5):
        await tables.put(pk="a", sk=number, g="g", l="l", expires=int(tables.clock.now()) - number % 2 * 100 + 50)
    await tables.engine.sweep()
    assert len(await tables.all()) == len(await tables.all(index="by_g")) == 3
    assert list(verify_file(tables.engine.path)) == []


async def test_disabled_means_nothing_expires(expiring: Tables) -> None:
    await expiring.put("plain", pk="a", expires=int(expiring.clock.now()) - 1)
    await set_ttl(expiring, enabled=False)
    await expiring.engine.sweep()
    assert await keys(expiring) == {"a"}
    await set_ttl(expiring)
    await expiring.engine.sweep()
    assert await keys(expiring) == set()


async def test_the_delay_and_the_deletes_of_a_round_can_be_set(clock: ManualClock) -> None:
    with Engine(None, clock=clock, ttl_delay_seconds=60, ttl_deletes_max=3, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain()
        await set_ttl(tables)
        for number in range(7):
            await tables.put("plain", pk=str(number), expires=int(clock.now()))
        clock.advance(59)
        await engine.sweep()
        assert len(await keys(tables)) == 7
        clock.advance(1)
        left = []
        for _ in range(3):
            await engine._writer.run(housekeeping.run)
            left.append(len(await keys(tables)))
        assert left == [4, 1, 0]


async def test_items_from_before_are_found_in_parts_and_after_a_restart(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "BACKFILL_ITEMS", 10)
    path = tmp_path / "store.db"
    with Engine(path, clock=clock) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain()
        for number in range(55):
            await tables.put("plain", pk=f"{number:02d}", expires=int(clock.now()) + number)
        await set_ttl(tables)
        answer = await tables("DescribeTimeToLive", TableName="plain")
        assert answer["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLING"
        with pytest.raises(ValidationException, match="modified multiple times within a fixed interval"):
            await set_ttl(tables, enabled=False)
        # Closed in the middle: the rest is done by whoever opens the file next.
    assert list(verify_file(str(path))) == []
    with Engine(path, clock=clock) as engine:
        tables = Tables(engine, clock)
        clock.advance(19)
        while (await tables("DescribeTimeToLive", TableName="plain"))["TimeToLiveDescription"][
            "TimeToLiveStatus"
        ] == "ENABLING":
            await engine.sweep()
        await engine.sweep()
        assert await keys(tables) == {f"{number:02d}" for number in range(20, 55)}
    assert list(verify_file(str(path))) == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"TableName": "abc", "TimeToLiveSpecification": {"AttributeName": "", "Enabled": True}},
            faults(("", "timeToLiveSpecification.attributeName", AT_LEAST_ONE)),
        ),
        ({"TableName": "abc"}, faults((None, "timeToLiveSpecification", NOT_NULL))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("UpdateTimeToLive", request_) == text
