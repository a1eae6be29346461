"""How busy a system is, learned from what it left behind: a noted run, CloudWatch's figures, or an access log.

learned = learn(path.read_bytes(), design, journeys)
learned.places      units a second of each table and index
learned.rates       calls a second of each journey, when it was an access log
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from sekkei.advice.metering import FORM, MINUTE, Travelled
from sekkei.design import Design, Table

METRICS = {"ConsumedReadCapacityUnits": 0, "ConsumedWriteCapacityUnits": 1}
_NAMESPACE = "AWS/DynamoDB"
_LOG_LINE = re.compile(
    r'\[(?P<when>[^][]{1,64})\] "(?P<method>[A-Z]{1,16}) (?P<path>\S{1,8192})[^"]*" (?P<status>\d{3})'
)
"""Common and Combined Log Format, as nginx and Apache write them."""
_LOG_TIME = "%d/%b/%Y:%H:%M:%S %z"


UNITS_MAX = 1e15
_STRANGE = "it is JSON, but no noted run, no answer of GetMetricData or GetMetricStatistics, and no metric stream"
_LABELLED = "ask with the label ${PROP('Dim.TableName')} ${PROP('Dim.GlobalSecondaryIndexName')} ${PROP('MetricName')}"


class CannotLearn(ValueError):
    """The file says nothing that can be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Averages over the time that the file covers."""

    source: str
    seconds: float
    peak: float
    """The busiest minute against the average."""
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Read and write units a second, by `table` and `table.index` of the design."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Calls a second, by journey."""
    left_out: str = ""
    """What was in the file and is not counted."""


class Point(NamedTuple):
    """Units that one place took in the period that begins at a time."""

    at: float
    place: str
    kind: int
    units: float


def learn(content: bytes, design: Design, journeys: Mapping[str, Travelled]) -> Learned:
    """Whatever kind of file it is."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotLearn("it is no text") from None
    if not text.strip():
        raise CannotLearn("it is empty")
    found = list(_documents(text))
    found = found[0] if len(found) == 1 and isinstance(found[0], list) else found
    if not found:
        return _from_log(_common_lines(text), journeys)
    if not all(isinstance(one, Mapping) for one in found):
        raise CannotLearn(_STRANGE)
    return _from_json(found, design, journeys)


def _documents(text: str) -> Iterator[Any]:
    """One after the other: JSON lines, pages as they were printed, or what Firehose joined without a break."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text) and text[at] in "{[ \t\r\n":
        if text[at] in " \t\r\n":
            at += 1
            continue
        try:
            document, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            return
        yield document


def _from_json(found: Sequence[Any], design: Design, journeys: Mapping[str, Travelled]) -> Learned:
    first = found[0]
    try:
        if first.get("form") == FORM:
            return _from_run(first, design)
        if "MetricDataResults" in first:
            learned = _from_points("CloudWatch", _metric_data(found, design), design)
            return replace(learned, left_out=_with_pages(learned.left_out, found))
        if "Datapoints" in first:
            return _from_points("CloudWatch", _metric_statistics(found, design), design)
        if "metric_name" in first and "namespace" in first:
            return _from_points("CloudWatch's metric stream", _metric_stream(found), design)
        if "request" in first and "ts" in first:
            return _from_log(_caddy_lines(found), journeys)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, CannotLearn):
            raise
        raise CannotLearn(f"it is not as it should be: {type(error).__name__}: {error}") from error
    raise CannotLearn(_STRANGE)


# A noted run


def _from_run(run: Mapping[str, Any], design: Design) -> Learned:
    points = [
        Point(float(minute), place, kind, float(units[kind]))
        for minute, places in run["minutes"].items()
        for place, units in places.items()
        for kind in (0, 1)
    ]
    return _averaged("a noted run", points, max(float(run["seconds"]), MINUTE), MINUTE, design)


# CloudWatch


def _metric_data(answers: Iterable[Mapping[str, Any]], design: Design) -> Iterator[Point]:
    """GetMetricData's answer, or several pages of it. The label says what a result is about."""
    for result in (one for answer in answers for one in answer["MetricDataResults"]):
        label, status = str(result.get("Label", "")), result.get("StatusCode", "Complete")
        words = [word for word in re.split(r"[\s/|:,]+", label) if not word.startswith("${")]
        metric = next((word for word in words if word in METRICS), None)
        if metric is None:
            raise CannotLearn(
                f"the result {result.get('Id', '?')} is labelled {label!r}. Ask with the label "
                "${PROP('Dim.TableName')} ${PROP('Dim.GlobalSecondaryIndexName')} ${PROP('MetricName')}, and Stat=Sum"
            )
        if status not in ("Complete", "PartialData"):
            raise CannotLearn(f"CloudWatch answered {status} for {label!r}; ask again")
        place = ".".join(word for word in words if word and word != metric) or _only_table(design, _LABELLED)
        for at, value in zip(result["Timestamps"], result["Values"], strict=True):
            yield Point(_moment(at), place, METRICS[metric], float(value))


def _metric_statistics(answers: Iterable[Mapping[str, Any]], design: Design) -> Iterator[Point]:
    """GetMetricStatistics' answers, one for each metric. They do not say which table was asked for."""
    for answer in answers:
        metric = str(answer.get("Label", ""))
        if metric not in METRICS:
            raise CannotLearn(f"it is of {metric or 'no metric'}: ask for {' and '.join(METRICS)}")
        for point in answer["Datapoints"]:
            if "Sum" not in point:
                raise CannotLearn("its data points have no Sum: ask with --statistics Sum")
            place = _only_table(design, "take `aws cloudwatch get-metric-data`")
            yield Point(_moment(point["Timestamp"]), place, METRICS[metric], float(point["Sum"]))


def _only_table(design: Design, instead: str) -> str:
    if len(design.tables) > 1:
        raise CannotLearn(f"it does not say which table it is about, and {design.name} has several: {instead}")
    return next(iter(design.tables))


def _with_pages(left_out: str, answers: Sequence[Mapping[str, Any]]) -> str:
    more = "further pages of the answer (NextToken)" if answers[-1].get("NextToken") else ""
    return "; ".join(part for part in (left_out, more) if part)


def _metric_stream(lines: Iterable[Mapping[str, Any]]) -> Iterator[Point]:
    for line in lines:
        dimensions = line.get("dimensions", {})
        if line.get("namespace") != _NAMESPACE or line["metric_name"] not in METRICS or "TableName" not in dimensions:
            continue
        index = dimensions.get("GlobalSecondaryIndexName")
        place = dimensions["TableName"] if index is None else f"{dimensions['TableName']}.{index}"
        yield Point(float(line["timestamp"]) / 1_000, place, METRICS[line["metric_name"]], float(line["value"]["sum"]))


def _moment(text: Any) -> float:
    if isinstance(text, int | float):
        return float(text)
    found = datetime.fromisoformat(str(text))  # as the CLI and boto3 print it; a number is what the API sends
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _from_points(source: str, points: Iterable[Point], design: Design) -> Learned:
    found = list(points)
    times = sorted({point.at for point in found})
    if not times:
        raise CannotLearn("it has no units that were consumed: ConsumedReadCapacityUnits, ConsumedWriteCapacityUnits")
    period = min((b - a for a, b in pairwise(times)), default=float(MINUTE))
    return _averaged(source, found, times[-1] - times[0] + period, period, design)


def _averaged(source: str, points: Sequence[Point], seconds: float, period: float, design: Design) -> Learned:
    names = {point.place: _place(point.place, design) for point in points}
    places: dict[str, list[float]] = {}
    by_time: dict[float, float] = {}
    for point in points:
        if not 0 <= point.units < UNITS_MAX:
            raise CannotLearn(f"{point.place} took {point.units:g} units: that is no number of units")
        place = names[point.place]
        if place is not None:
            places.setdefault(place, [0.0, 0.0])[point.kind] += point.units / seconds
            by_time[point.at] = by_time.get(point.at, 0.0) + point.units
    strange = sorted(name for name, place in names.items() if place is None)
    if not places:
        raise CannotLearn(f"none of its tables is one of {design.name}: {', '.join(strange) or 'there are none'}")
    average = sum(map(sum, places.values()))
    peak = max(by_time.values()) / period / average if average else 1.0
    left_out = f"tables that {design.name} does not have: {', '.join(strange)}" if strange else ""
    units = {place: (read, write) for place, (read, write) in sorted(places.items())}
    return Learned(source, seconds, max(1.0, peak), units, left_out=left_out)


def _place(name: str, design: Design) -> str | None:
    """The design's name of a table or index that has this name in a store."""
    for table in design.tables.values():
        if name == table.name:
            return name
        stored = re.escape(table.naming).replace(r"\{env\}", r"[\w-]+").replace(r"\{table\}", re.escape(table.name))
        match = re.fullmatch(rf"(?:{stored})(?:\.(?P<index>.+))?", name)
        if match is not None:
            return _within(table, match["index"])
    return None


def _within(table: Table, index: str | None) -> str | None:
    if index is None:
        return table.name
    return f"{table.name}.{index}" if index in table.indexes else None


# Access logs


class Asked(NamedTuple):
    at: float
    request: str
    """`GET /tasks/teams/t1`."""


def _common_lines(text: str) -> Iterator[Asked]:
    for line in text.splitlines():
        match = _LOG_LINE.search(line)
        if match is None or int(match["status"]) >= 400:
            continue
        try:
            at = datetime.strptime(match["when"], _LOG_TIME).timestamp()
        except ValueError:
            raise CannotLearn(
                f"{match['when']!r} is no time of an access log, such as 15/Nov/2026:09:00:00 +0900"
            ) from None
        yield Asked(at, f"{match['method']} {match['path'].partition('?')[0]}")


def _caddy_lines(lines: Iterable[Mapping[str, Any]]) -> Iterator[Asked]:
    for line in lines:
        if "request" in line and int(line.get("status", 0)) < 400:
            request = line["request"]
            yield Asked(float(line["ts"]), f"{request['method']} {str(request['uri']).partition('?')[0]}")


def _from_log(lines: Iterable[Asked], journeys: Mapping[str, Travelled]) -> Learned:
    found = list(lines)
    if not found:
        raise CannotLearn("it has no line of an access log in Common or Combined Log Format, or of Caddy's JSON")
    if not journeys:
        raise CannotLearn("an access log tells of requests, and this design has no measured journeys to compare with")
    forms = {name: _pattern(one.requests[-1]) for name, one in journeys.items() if one.requests}
    counts: Counter[str] = Counter()
    minutes: Counter[int] = Counter()
    for one in found:
        names = [name for name, form in forms.items() if form.fullmatch(one.request)]
        for name in names:
            counts[name] += 1
        minutes[int(one.at) // MINUTE] += bool(names)
    known = sum(minutes.values())
    if not known:
        raise CannotLearn(f"none of its {len(found)} requests is one of a journey: {', '.join(sorted(forms))}")
    times = [one.at for one in found]
    seconds = max(max(times) - min(times), float(MINUTE))
    shared = {name: count / _alike(name, journeys) / seconds for name, count in counts.items()}
    left = len(found) - known
    left_out = f"{left} of {len(found)} requests, which belong to no journey" if left else ""
    return Learned(
        "an access log", seconds, max(1.0, max(minutes.values()) / known * seconds / MINUTE), {}, shared, left_out
    )


def _pattern(request: str) -> re.Pattern[str]:
    """`GET /tasks/teams/{team_id}` as an expression; `{slot:path}` may have slashes in it."""
    pieces = re.split(r"(\{\w+(?::\w+)?\})", request)
    return re.compile("".join(_piece(piece) for piece in pieces))


def _piece(piece: str) -> str:
    return (".+" if ":path}" in piece else "[^/]+") if piece.startswith("{") else re.escape(piece)


def _alike(name: str, journeys: Mapping[str, Travelled]) -> int:
    """Several journeys may begin with the same request, as all that comes by a webhook does; they share it evenly."""
    return sum(one.requests[-1:] == journeys[name].requests[-1:] for one in journeys.values())
