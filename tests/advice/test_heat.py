"""The model against what DynamoDB's guide says of partitions. Sources stand beside each."""

from __future__ import annotations

import random
import time

import pytest

from sekkei.advice.heat import (
    FIRST_PARTITIONS,
    Outcome,
    Place,
    Provisioned,
    Stream,
    celebrity,
    even,
    simulate,
    wall,
    zipf,
)


def run(*streams: Stream, seconds: int = 1_800, **options: Provisioned) -> Outcome:
    report = simulate(streams, seconds=seconds, provisioned=options or None)
    return report.outcomes[streams[0].place]


def test_one_item_takes_a_thousand_writes_a_second_and_no_split_helps() -> None:
    # developerguide/bp-partition-key-design.html: 3,000 read and 1,000 write units a partition; an item is in one.
    found = run(Stream("count", "t", 0.0, 2_000.0, even(1), splits_within=False))
    assert found.share == pytest.approx(0.5, abs=0.02)
    assert found.stuck
    assert run(Stream("count", "t", 0.0, 950.0, even(1), splits_within=False)).refused == 0.0


def test_one_item_takes_three_thousand_reads_a_second() -> None:
    assert run(Stream("get", "t", 6_000.0, 0.0, even(1), splits_within=False)).share == pytest.approx(0.5, abs=0.02)
    assert run(Stream("get", "t", 2_900.0, 0.0, even(1), splits_within=False)).refused == 0.0


def test_a_new_table_has_four_partitions() -> None:
    # developerguide/on-demand-capacity-mode.html: a new table takes up to 4,000 write and 12,000 read units a second.
    assert run(Stream("put", "t", 0.0, 3_800.0, even(10**6)), seconds=60).refused == 0.0
    burst = run(Stream("put", "t", 0.0, 8_000.0, even(10**6)), seconds=60)
    assert burst.share == pytest.approx(0.5, abs=0.02)
    assert burst.partitions == FIRST_PARTITIONS


def test_load_that_is_spread_is_split_until_it_fits() -> None:
    # developerguide/burst-adaptive-capacity.html: partitions that stay hot are split.
    found = run(Stream("put", "t", 0.0, 30_000.0, even(10**6)), seconds=3_600)
    assert found.partitions >= 30
    assert found.by_minute[0] > 0.5
    assert found.by_minute[-1] == 0.0
    assert not found.stuck


def test_a_hot_key_with_many_items_is_isolated_and_split() -> None:
    found = run(Stream("put", "t", 0.0, 3_000.0, celebrity(0.9, 10**6)), seconds=3_600)
    assert found.by_minute[-1] == 0.0


def test_a_rising_sort_key_is_not_helped() -> None:
    # developerguide/burst-adaptive-capacity.html: no split where the sort key only rises.
    found = run(Stream("put", "t", 0.0, 3_000.0, celebrity(0.9, 10**6), splits_within=False), seconds=3_600)
    assert found.by_minute[-1] > 0.3
    assert found.stuck


def test_bursts_of_five_minutes() -> None:
    # developerguide/burst-adaptive-capacity.html: up to 300 seconds of unused capacity.
    quiet = Stream("put", "t", 0.0, 0.0, even(10**6))
    busy = Stream("put", "t", 0.0, 200.0, even(10**6))
    place = Place("t", [quiet], random.Random(0), Provisioned(100, 100))
    for now in range(1_000):
        place.second(now)
    place.streams = [busy]
    refused = []
    for now in range(1_000, 1_600):
        before = place.outcome.refused
        place.second(now)
        refused.append(place.outcome.refused - before)
    assert sum(refused[:280]) == 0.0  # 300 s × 100 units are spent at 100 a second beyond what is provisioned
    assert sum(refused[320:]) > 0.0


def test_a_full_index_refuses_the_write() -> None:
    # developerguide/gsi-throttling.html: back-pressure.
    table = Stream("put", "t", 0.0, 2_000.0, even(10**6))
    index = Stream("put", "t.by_status", 0.0, 2_000.0, even(1), splits_within=False)
    assert simulate([table], seconds=300).refused["put"] == pytest.approx(0.0, abs=0.01)
    assert simulate([table, index], seconds=300).refused["put"] == pytest.approx(0.5, abs=0.02)


def test_sharding_moves_the_wall() -> None:
    one = Stream("count", "t", 0.0, 100.0, even(1), splits_within=False)
    ten = Stream("count", "t", 0.0, 100.0, even(1).sharded(10), splits_within=False)
    assert wall(one) == 10.0
    assert wall(ten) == pytest.approx(100.0)


def test_the_same_seed_gives_the_same_hour() -> None:
    stream = Stream("put", "t", 0.0, 20_000.0, zipf(10**6))
    first, second = (simulate([stream], seconds=900, seed=7).outcomes["t"] for _ in range(2))
    assert first == second


def test_popularities_add_up() -> None:
    for found in (zipf(50), zipf(10**6), zipf(10**6, 1.3), even(3), even(10**6), celebrity(0.2, 100)):
        assert sum(found.shares) + found.rest == pytest.approx(1.0)


@pytest.mark.torture
def test_an_hour_at_a_million_requests_a_second_within_a_minute() -> None:
    began = time.process_time()
    simulate([Stream("get", "t", 1_000_000.0, 0.0, zipf(10**7)), Stream("put", "t", 0.0, 50_000.0, even(10**7))])
    assert time.process_time() - began < 60
