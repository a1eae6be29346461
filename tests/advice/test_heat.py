"""The model against what DynamoDB's documents say of partitions. The source stands beside each test.

Pages named without an address are https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/NAME.html. Part 3 is
https://aws.amazon.com/blogs/database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat-impact-performance.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from sekkei.advice.heat import (
    FIRST_PARTITIONS,
    SIZE_MAX,
    SPLIT_AFTER_SECONDS,
    Outcome,
    Provisioned,
    Stream,
    celebrity,
    even,
    hottest,
    ramp,
    simulate,
    zipf,
)

GB = 1024**3
MANY = even(10**6)


def run(*streams: Stream, seconds: int = 1_800, **options: Provisioned) -> Outcome:
    report = simulate(streams, seconds=seconds, provisioned=options or None)
    return report.outcomes[streams[0].place]


def test_one_item_takes_a_thousand_writes_a_second_and_no_split_helps() -> None:
    # bp-partition-key-design: 3,000 read and 1,000 write units a partition; an item is in one. burst-adaptive-capacity,
    # "Isolate frequently accessed items": a partition may hold one item alone, and keeps its limits.
    found = run(Stream("count", "t", 0.0, 2_000.0, even(1), splits_within=False))
    assert found.share == pytest.approx(0.5, abs=0.02)
    assert found.stuck
    assert run(Stream("count", "t", 0.0, 950.0, even(1), splits_within=False)).refused == 0.0


def test_one_item_takes_three_thousand_reads_a_second() -> None:
    # bp-partition-key-design
    assert run(Stream("get", "t", 6_000.0, 0.0, even(1), splits_within=False)).share == pytest.approx(0.5, abs=0.02)
    assert run(Stream("get", "t", 2_900.0, 0.0, even(1), splits_within=False)).refused == 0.0


def test_reads_and_writes_are_refused_apart() -> None:
    # throttling-key-range-limit-exceeded-mitigation: a partition may refuse reads while it takes writes.
    reads = Stream("get", "t", 6_000.0, 0.0, even(1), splits_within=False, key="A")
    writes = Stream("put", "t", 0.0, 900.0, even(1), splits_within=False, key="A")
    refused = simulate([reads, writes], seconds=300).refused
    assert refused == pytest.approx({"get": 0.5, "put": 0.0}, abs=0.02)


def test_what_several_patterns_ask_of_one_key_adds_up() -> None:
    # bp-partition-key-design: the limit is the partition's, whoever asks.
    one = Stream("get", "t", 2_000.0, 0.0, even(1), splits_within=False, key="DAY#{day}")
    both = simulate([one, replace(one, pattern="list")], seconds=300)
    assert both.refused == pytest.approx({"get": 0.25, "list": 0.25}, abs=0.02)
    apart = simulate([one, replace(one, pattern="list", key="USER#{user}")], seconds=600)
    assert apart.outcomes["t"].by_minute[-1] == 0.0


def test_a_pattern_with_other_keys_is_not_refused() -> None:
    # throttling-key-range-limit-exceeded-mitigation: some keys are refused while others are served.
    hot = Stream("count", "t", 0.0, 4_000.0, even(1), splits_within=False, key="COUNTER")
    calm = Stream("get", "t", 100.0, 0.0, MANY, key="USER#{user}")
    assert simulate([hot, calm], seconds=300).refused == pytest.approx({"count": 0.75, "get": 0.0}, abs=0.02)


def test_a_new_table_has_four_partitions() -> None:
    # on-demand-capacity-mode, "Initial throughput": a new table takes up to 4,000 write and 12,000 read units a second.
    assert run(Stream("put", "t", 0.0, 3_800.0, MANY), seconds=60).refused == 0.0
    assert run(Stream("get", "t", 11_600.0, 0.0, MANY), seconds=60).refused == 0.0
    burst = run(Stream("put", "t", 0.0, 8_000.0, MANY), seconds=60)
    assert burst.share == pytest.approx(0.5, abs=0.02)
    assert burst.partitions == FIRST_PARTITIONS == 4


def test_twice_the_peak_is_served_at_once_half_an_hour_later() -> None:
    # on-demand-capacity-mode: a table takes up to double its previous peak at once, and may refuse what exceeds double
    # within 30 minutes.
    stream = Stream("put", "t", 0.0, 7_600.0, MANY)

    def refused_after(minutes: int, before: float) -> float:
        def busy(now: int) -> float:
            return before if now < minutes * 60 else 1.0

        found = simulate([stream], seconds=(minutes + 1) * 60, busy=busy).outcomes["t"]
        assert sum(found.by_minute[:-1]) == 0.0
        return found.by_minute[-1]

    assert refused_after(31, before=0.5) == 0.0
    assert refused_after(31, before=0.25) > 0.4  # four times as much
    assert refused_after(5, before=0.5) > 0.4  # too early


def test_growth_over_half_an_hours_is_not_refused() -> None:
    # on-demand-capacity-mode: space the growth over at least 30 minutes for each doubling.
    stream = Stream("put", "t", 0.0, 14_000.0, MANY)
    at_once = simulate([stream], seconds=7_200).refused["put"]
    slowly = simulate([stream], seconds=7_200, busy=ramp(119)).refused["put"]
    assert slowly < 0.01 < at_once


def test_load_that_is_spread_is_split_until_it_fits() -> None:
    # Part 3: a partition near its throughput limit is split; partitions are never merged.
    found = run(Stream("put", "t", 0.0, 30_000.0, MANY), seconds=3_600)
    assert found.partitions >= 30
    assert found.by_minute[0] > 0.5
    assert found.by_minute[-1] == 0.0
    assert not found.stuck
    assert found.partitions_by_minute == sorted(found.partitions_by_minute)


def test_hot_keys_get_partitions_of_their_own() -> None:
    # burst-adaptive-capacity, "Isolate frequently accessed items"
    found = run(Stream("get", "t", 20_000.0, 0.0, zipf(10**5, 0.9), splits_within=False), seconds=3_600)
    assert found.by_minute[0] > 0.2
    assert found.by_minute[-1] == 0.0


def test_a_hot_key_with_many_items_is_isolated_and_split() -> None:
    # Part 3: the items of one key are spread over partitions by their sort keys.
    found = run(Stream("put", "t", 0.0, 3_000.0, celebrity(0.9, 10**6)), seconds=3_600)
    assert found.by_minute[-1] == 0.0


def test_a_rising_sort_key_is_not_helped() -> None:
    # Part 3: no split helps where all traffic is for the end of a sort key that only rises, or for a single item.
    found = run(Stream("put", "t", 0.0, 3_000.0, celebrity(0.9, 10**6), splits_within=False), seconds=3_600)
    assert found.by_minute[-1] > 0.3
    assert found.stuck


def test_bursts_of_five_minutes() -> None:
    # https://repost.aws/knowledge-center/dynamodb-spiky-workloads-short-intervals: 150 provisioned units that lie idle
    # for five minutes save 45,000; load of 200 a second is then served for 15 minutes.
    stream = Stream("get", "t", 200.0, 0.0, MANY)

    def busy(now: int) -> float:
        return 0.0 if now < 600 else 1.0  # more than five minutes save no more

    found = simulate([stream], seconds=2_400, busy=busy, provisioned={"t": Provisioned(150, 150)})
    assert found.outcomes["t"].first_refused == 600 + 15 * 60
    assert found.outcomes["t"].by_minute[-1] == pytest.approx(0.25)


def test_bursts_do_not_help_a_partition() -> None:
    # https://repost.aws/knowledge-center/dynamodb-spiky-workloads-short-intervals: nothing is saved at a partition.
    hot = Stream("count", "t", 0.0, 2_000.0, even(1), splits_within=False)
    found = simulate([hot], seconds=600, busy=lambda now: float(now >= 300), provisioned={"t": Provisioned(9, 9_000)})
    assert found.outcomes["t"].first_refused == 300


def test_a_full_index_refuses_the_write() -> None:
    # gsi-throttling: back-pressure. The reason speaks of the index, what is refused is the table's write.
    table = Stream("put", "t", 0.0, 2_000.0, MANY)
    index = Stream("put", "t.by_status", 0.0, 2_000.0, even(1), splits_within=False)
    assert simulate([table], seconds=300).refused["put"] == 0.0
    both = simulate([table, index], seconds=300)
    assert both.refused["put"] == pytest.approx(0.5, abs=0.02)
    assert list(both.outcomes["t.by_status"].reasons) == ["IndexWriteKeyRangeThroughputExceeded"]
    assert both.outcomes["t"].reasons == {}


def test_an_index_without_room_for_reads_leaves_the_table_alone() -> None:
    # https://repost.aws/knowledge-center/dynamodb-gsi-throttling-table
    write = [Stream("put", place, 0.0, 500.0, even(1), splits_within=False) for place in ("t", "t.by_status")]
    read = Stream("list", "t.by_status", 6_000.0, 0.0, even(1), splits_within=False)
    assert simulate([*write, read], seconds=300).refused == pytest.approx({"put": 0.0, "list": 0.5}, abs=0.02)


@pytest.mark.parametrize(
    ("place", "kind", "limit"),
    list(
        product(
            ("Table", "Index"),
            ("Read", "Write"),
            ("KeyRangeThroughputExceeded", "ProvisionedThroughputExceeded", "AccountLimitExceeded"),
        )
    ),
)
def test_reasons_are_dynamodbs(place: str, kind: str, limit: str) -> None:
    # https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ThrottlingReason.html: resource, operation and
    # limit (the fourth, MaxOnDemandThroughputExceeded, is a limit that somebody set).
    name = "t" if place == "Table" else "t.by_status"
    keys = even(1) if limit.startswith("Key") else MANY
    read, write = (3_500.0, 0.0) if kind == "Read" else (0.0, 3_500.0)
    stream = Stream("ask", name, read, write, keys, splits_within=False)
    provisioned = {name: Provisioned(100, 100)} if limit.startswith("Provisioned") else None
    quota = 1_000.0 if limit.startswith("Account") else float("inf")
    found = simulate([stream], seconds=600, provisioned=provisioned, quota=quota).outcomes[name]
    assert list(found.reasons) == [f"{place}{kind}{limit}"]
    assert found.reasons[found.reason] == pytest.approx(found.refused)


def test_a_quota_holds_whatever_is_split() -> None:
    # ServiceQuotas: 40,000 read and 40,000 write units a second of a table, unless AWS raised it.
    found = simulate([Stream("get", "t", 80_000.0, 0.0, MANY)], quota=40_000.0).outcomes["t"]
    assert found.by_minute[-1] == pytest.approx(0.5, abs=0.01)
    assert found.reason == "TableReadAccountLimitExceeded"


def test_a_partition_holds_ten_gigabytes() -> None:
    # Part 3: a partition is split when it comes near 10 GB. HowItWorks.Partitions: another one when one is filled.
    calm = Stream("put", "t", 0.0, 500.0, MANY)
    assert simulate([calm], seconds=60, stored={"t": 400 * GB}).outcomes["t"].partitions == 40
    growing = replace(calm, growth=50 * GB / 3_600)
    hour = simulate([growing], seconds=3_600).outcomes["t"]
    assert (hour.partitions_by_minute[0], hour.partitions, hour.refused) == (4, 8, 0.0)
    two_keys = replace(growing, popularity=even(2), splits_within=False)
    assert simulate([two_keys], seconds=7_200).outcomes["t"].partitions >= 100 * GB / SIZE_MAX


def test_a_rising_sort_key_is_split_for_size_and_stays_hot() -> None:
    # Part 3: room is made for size, but all that is asked follows the newest items.
    log = Stream("put", "t", 0.0, 2_000.0, even(1), splits_within=False, growth=50 * GB / 3_600)
    found = run(log, seconds=3_600)
    assert found.partitions > FIRST_PARTITIONS + 3
    assert found.by_minute[-1] == pytest.approx(0.5, abs=0.02)


def test_a_local_index_keeps_a_key_in_ten_gigabytes() -> None:
    # LSI, "Item collection size limit": writes that would grow it further are refused.
    local = Stream("put", "t", 0.0, 500.0, even(1), splits_within=False, growth=30 * GB / 3_600, kept_together=True)
    found = run(local, seconds=3_600)
    assert found.by_minute[10] == 0.0
    assert found.by_minute[-1] == 1.0
    assert found.reason == "ItemCollectionSizeLimitExceeded"


def test_a_split_takes_its_time() -> None:
    # How long is not documented; what the constant says is what happens.
    found = run(Stream("put", "t", 0.0, 6_000.0, MANY), seconds=1_800)
    assert found.last_refused == SPLIT_AFTER_SECONDS - 1


def test_sharding_moves_the_wall() -> None:
    one = Stream("count", "t", 0.0, 100.0, even(1), splits_within=False)
    ten = Stream("count", "t", 0.0, 100.0, even(1).sharded(10), splits_within=False)
    assert hottest([one]) == pytest.approx(0.1)
    assert hottest([ten]) == pytest.approx(0.01)


def test_the_same_seed_gives_the_same_hour() -> None:
    stream = Stream("put", "t", 0.0, 20_000.0, zipf(10**6), calls=20_000.0)
    first, second = (simulate([stream], seconds=900, seed=7) for _ in range(2))
    assert first == second
    assert simulate([stream], seconds=900, seed=8) != first


def test_popularities_add_up() -> None:
    for found in (zipf(50), zipf(10**6), zipf(10**6, 1.3), even(3), MANY, celebrity(0.2, 100)):
        assert sum(found.shares) + found.rest == pytest.approx(1.0)


def test_splits_keep_load_and_bytes() -> None:
    from random import Random

    from sekkei.advice.heat import Place

    place = Place("t", [Stream("put", "t", 9_000.0, 30_000.0, zipf(10**5), growth=GB / 60)], Random(3), stored=90 * GB)
    for now in range(3_600):
        place.second(now)
        if now % 60 == 59:
            place.minute(60.0)
    ranges = place.ranges
    assert sum(each.write * each.alike for each in ranges) == pytest.approx(30_000.0)
    assert sum(each.read * each.alike for each in ranges) == pytest.approx(9_000.0)
    held = sum(each.size * each.alike for each in ranges)
    assert held == pytest.approx(150 * GB)
    assert len(ranges) > 20


def test_an_hour_at_a_million_requests_a_second_is_a_few_thousand_steps() -> None:
    """Cost is in partitions near their limit; those that are alike or calm are one step or none."""
    import sekkei.advice.heat as model

    steps = 0
    over = model.Place._over

    def counted(self: model.Place, each: model.Range, factor: float) -> tuple[float, float]:
        nonlocal steps
        steps += 1
        return over(self, each, factor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model.Place, "_over", counted)
        streams = [Stream("get", "t", 1e6, 0.0, zipf(10**7)), Stream("put", "t", 0.0, 50_000.0, even(10**7))]
        found = simulate(streams).outcomes["t"]
    assert found.partitions > 300
    assert steps < 500_000  # about a microsecond each
