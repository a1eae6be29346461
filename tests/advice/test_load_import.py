"""How busy a system is, from what it left behind. Shapes of files as their makers document them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekkei.advice.load_import import CannotLearn, Learned, learn
from sekkei.advice.metering import Noting, Travelled
from sekkei.clock import ManualClock
from sekkei.design import Design, Index
from sekkei.store import Embedded
from tests.advice.conftest import Thing, thing_design


def shop() -> Design:
    return thing_design(Index("by_state", "state", "at"))[0]


def journey(*requests: str) -> Travelled:
    return Travelled("", list(requests), 1, [], {})


JOURNEYS = {
    "opens": journey("GET /shop/"),
    "orders": journey("GET /shop/basket", "POST /shop/orders/{order_id}"),
    "reads": journey("GET /shop/pages/{page:path}"),
    "says": journey("POST /shop/webhook"),
    "asks": journey("POST /shop/webhook"),
}


def learned(content: Any, journeys: dict[str, Travelled] | None = None) -> Learned:
    text = content if isinstance(content, str) else json.dumps(content)
    return learn(text.encode(), shop(), JOURNEYS if journeys is None else journeys)


def metric(label: str, *values: float) -> dict[str, Any]:
    """As `aws cloudwatch get-metric-data` prints a result, a minute a value."""
    times = [f"2026-11-15T09:{minute:02d}:00+00:00" for minute in range(len(values))]
    return {"Id": "m1", "Label": label, "Timestamps": times, "Values": values, "StatusCode": "Complete"}


def test_metric_data() -> None:
    found = learned(
        {
            "MetricDataResults": [
                metric("things ConsumedReadCapacityUnits", 600, 0, 0),
                metric("things ConsumedWriteCapacityUnits", 60, 60, 60),
                metric("things by_state ConsumedWriteCapacityUnits", 0, 0, 180),
                metric("elsewhere ConsumedReadCapacityUnits", 1, 1, 1),
            ]
        }
    )
    assert (found.source, found.seconds) == ("CloudWatch", 180.0)
    assert found.places == {"things": (pytest.approx(600 / 180), 1.0), "things.by_state": (0.0, 1.0)}
    assert found.peak == pytest.approx((660 / 60) / (960 / 180))
    assert "elsewhere" in found.left_out


def stream_line(table: str, minute: int, units: float, name: str = "ConsumedReadCapacityUnits", **more: str) -> str:
    """A record of a metric stream in JSON: Amazon CloudWatch user guide, "JSON format"."""
    return json.dumps(
        {
            "metric_stream_name": "all",
            "account_id": "123456789012",
            "region": "ap-northeast-1",
            "namespace": "AWS/DynamoDB",
            "metric_name": name,
            "dimensions": {"TableName": table, **more},
            "timestamp": 1_794_700_800_000 + minute * 60_000,
            "value": {"max": units, "min": 0.0, "sum": units, "count": 60.0},
            "unit": "Count",
        }
    )


def test_a_metric_stream() -> None:
    lines = [
        stream_line("things", 0, 120),
        stream_line("things", 1, 0),
        stream_line("things", 1, 60, "ConsumedWriteCapacityUnits", GlobalSecondaryIndexName="by_state"),
        stream_line("things", 1, 9, "SuccessfulRequestLatency"),
    ]
    found = learned("\n".join(lines))
    assert found.places == {"things": (1.0, 0.0), "things.by_state": (0.0, 0.5)}
    assert learned(f"[{','.join(lines)}]").places == found.places


def statistics(label: str, *sums: float, **more: float) -> dict[str, Any]:
    """As `aws cloudwatch get-metric-statistics` prints it: https://docs.aws.amazon.com/AmazonCloudWatch/latest/
    APIReference/API_GetMetricStatistics.html. Data points come in no order."""
    points = [
        {"Timestamp": f"2026-11-15T09:{minute:02d}:00+00:00", "Sum": value, "Unit": "Count", **more}
        for minute, value in enumerate(sums)
    ]
    return {"Label": label, "Datapoints": points[::-1]}


def test_metric_statistics() -> None:
    read, write = statistics("ConsumedReadCapacityUnits", 60, 180), statistics("ConsumedWriteCapacityUnits", 0, 120)
    printed = "\n".join(json.dumps(each, indent=4) for each in (read, write))  # cat read.json write.json
    for content in (printed, [read, write]):
        found = learned(content)
        assert found.places == {"things": (2.0, 1.0)}
        assert found.peak == pytest.approx((300 / 60) / 3)


def test_metric_statistics_do_not_name_a_table() -> None:
    two, _ = thing_design()
    two.table("others", "PK")
    content = json.dumps(statistics("ConsumedReadCapacityUnits", 60)).encode()
    with pytest.raises(CannotLearn, match="does not say which table"):
        learn(content, two, {})


def test_the_api_sends_times_as_numbers_and_a_label_may_be_the_metric() -> None:
    # API_MetricDataResult: timestamps in Unix time; API_MetricDataQuery: without Label CloudWatch makes one.
    result = metric("ConsumedReadCapacityUnits", 60, 60) | {"Timestamps": [1_794_700_800, 1_794_700_860]}
    assert learned({"MetricDataResults": [result], "Messages": []}).places == {"things": (1.0, 0.0)}


def test_pages_of_an_answer() -> None:
    first = {"MetricDataResults": [metric("things ConsumedReadCapacityUnits", 60) | {"StatusCode": "PartialData"}]}
    result = metric("things ConsumedReadCapacityUnits", 0, 60)
    second = {"MetricDataResults": [result], "NextToken": "abc"}
    found = learned(json.dumps(first, indent=4) + json.dumps(second, indent=4))
    assert found.places == {"things": (1.0, 0.0)}
    assert found.left_out == "further pages of the answer (NextToken)"


def test_what_firehose_joined_without_a_break() -> None:
    assert learned(stream_line("things", 0, 120) + stream_line("things", 1, 0)).places == {"things": (1.0, 0.0)}


LOG = """\
10.0.0.1 - - [15/Nov/2026:09:00:00 +0900] "GET /shop/ HTTP/1.1" 200 512 "-" "Mozilla/5.0"
10.0.0.1 - aoi [15/Nov/2026:09:00:30 +0900] "GET /shop/?page=2 HTTP/1.1" 200 512
10.0.0.1 - - [15/Nov/2026:09:01:00 +0900] "POST /shop/orders/7 HTTP/1.1" 303 0
10.0.0.1 - - [15/Nov/2026:09:01:10 +0900] "GET /shop/pages/a/b HTTP/1.1" 200 9
10.0.0.1 - - [15/Nov/2026:09:01:20 +0900] "POST /shop/webhook HTTP/1.1" 200 9
10.0.0.1 - - [15/Nov/2026:09:01:30 +0900] "GET /static/x.css HTTP/1.1" 200 9
10.0.0.1 - - [15/Nov/2026:09:01:40 +0900] "POST /shop/orders/8 HTTP/1.1" 409 0
not a line of a log
"""


def test_an_access_log() -> None:
    found = learned(LOG)
    assert found.seconds == 90.0
    assert found.rates == {
        "opens": pytest.approx(2 / 90),
        "orders": pytest.approx(1 / 90),  # the refused one does not count
        "reads": pytest.approx(1 / 90),
        "says": pytest.approx(0.5 / 90),  # two journeys share a webhook
        "asks": pytest.approx(0.5 / 90),
    }
    assert found.left_out == "1 of 6 requests, which belong to no journey"


def test_caddys_log() -> None:
    lines = [
        json.dumps({"ts": at, "request": {"method": "GET", "uri": "/shop/?q=1"}, "status": 200}) for at in (0.0, 120.5)
    ]
    assert learned("\n".join(lines)).rates == {"opens": pytest.approx(2 / 120.5)}


async def test_a_noted_run(tmp_path: Path) -> None:
    design, things = thing_design(Index("by_state", "state", "at"))
    clock, path = ManualClock(1_800_000_000), tmp_path / "run.json"
    store = Noting(Embedded(clock=clock), path, clock)
    db = design.open(store, env="test", clock=clock)
    await db.create_tables()
    for number in range(4):
        await db.write(things.put(Thing(owner="a", id=str(number))))
        await db.get(things("a", str(number)))
        clock.advance(60)
    answer = await store.call("GetItem", {"TableName": "things", "Key": things("a", "0").key})
    assert "ConsumedCapacity" not in answer  # nobody asked for it
    await store.close()
    found = learn(path.read_bytes(), design, {})
    assert found.seconds == 240.0
    assert found.places == {
        "things": (pytest.approx(2.5 / 240), pytest.approx(4 / 240)),
        "things.by_state": (0.0, pytest.approx(4 / 240)),
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is empty"),
        ("hello\nworld", "no line of an access log"),
        ("{}", "it is JSON, but no noted run"),
        ("[1, 2]", "it is JSON, but no noted run"),
        ('{"MetricDataResults": []}', "no units that were consumed"),
        ({"MetricDataResults": [metric("m1", 1)]}, "Ask with the label"),
        (
            {"MetricDataResults": [metric("elsewhere ConsumedReadCapacityUnits", 1)]},
            "none of its tables is one of small",
        ),
        ({"MetricDataResults": [metric("things ConsumedReadCapacityUnits", -1)]}, "no number of units"),
        ({"MetricDataResults": [metric("things ConsumedReadCapacityUnits", float("nan"))]}, "no number of units"),
        ({"MetricDataResults": [metric("things ConsumedReadCapacityUnits", float("inf"))]}, "no number of units"),
        (
            {"MetricDataResults": [metric("things ConsumedReadCapacityUnits", 1) | {"StatusCode": "InternalError"}]},
            "answered InternalError",
        ),
        (statistics("ConsumedReadCapacityUnits"), "no units that were consumed"),
        (statistics("SuccessfulRequestLatency", 1), "ask for ConsumedReadCapacityUnits"),
        ({"Label": "ConsumedReadCapacityUnits", "Datapoints": [{"Timestamp": "2026-11-15T09:00:00Z"}]}, "have no Sum"),
        ("[" * 100_000, "no line of an access log"),
        ({"MetricDataResults": [{"Label": "things ConsumedReadCapacityUnits"}]}, "not as it should be"),
        ({"form": "sekkei-run-1"}, "not as it should be"),
        (LOG.replace("/shop", "/other"), "none of its 6 requests is one of a journey"),
        (LOG.replace("15/Nov", "99/Nov"), "is no time of an access log"),
    ],
)
def test_what_says_nothing_is_refused(content: Any, said: str) -> None:
    with pytest.raises(CannotLearn, match=said):
        learned(content)


def test_a_log_without_journeys_says_so() -> None:
    with pytest.raises(CannotLearn, match="no measured journeys"):
        learned(LOG, {})
