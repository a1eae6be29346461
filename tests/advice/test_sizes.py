"""The formulas against the engine's own count, item by item, and against AWS's examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.advice.sizes import item_bytes, read_units, write_units
from sekkei.store import Embedded

VALUES = st.one_of(
    st.text(max_size=2_000).map(lambda text: {"S": text}),
    st.integers(-(10**37), 10**37).map(lambda number: {"N": str(number)}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.lists(st.text(max_size=50).map(lambda text: {"S": text}), max_size=20).map(lambda each: {"L": each}),
    st.dictionaries(st.text(min_size=1, max_size=10), st.just({"N": "1"}), max_size=5).map(lambda each: {"M": each}),
)


@pytest.mark.parametrize(
    ("size", "how", "units"),
    [
        # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
        (8 * 1024, "strong", 2.0),
        (8 * 1024, "eventual", 1.0),
        (8 * 1024, "transactional", 4.0),
        (3_500, "strong", 1.0),
        (10 * 1024, "strong", 3.0),
        (0, "eventual", 0.5),
    ],
)
def test_reads_as_the_guide_counts_them(size: int, how: Any, units: float) -> None:
    assert read_units(size, how) == units


@pytest.mark.parametrize(
    ("size", "transactional", "units"),
    [(512, False, 1.0), (1_536, False, 2.0), (2_048, False, 2.0), (2_048, True, 4.0)],
)
def test_writes_as_the_guide_counts_them(size: int, transactional: bool, units: float) -> None:
    assert write_units(size, transactional=transactional) == units


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=8), VALUES, max_size=6))
async def test_the_engine_counts_the_same(attributes: dict[str, Any]) -> None:
    item = {**attributes, "id": {"S": "x"}}
    store = Embedded()
    try:
        await store.call(
            "CreateTable",
            {
                "TableName": "items",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        request = {"TableName": "items", "Item": item, "ReturnConsumedCapacity": "TOTAL"}
        put = await store.call("PutItem", request)
        assert put["ConsumedCapacity"]["CapacityUnits"] == write_units(item_bytes(item))
        key = {"TableName": "items", "Key": {"id": {"S": "x"}}, "ReturnConsumedCapacity": "TOTAL"}
        got = await store.call("GetItem", key)
        assert got["ConsumedCapacity"]["CapacityUnits"] == read_units(item_bytes(item))
    finally:
        await store.close()
