"""The drawing of a simulation: well-formed, readable without seeing it, with what is named in it escaped."""

from __future__ import annotations

from xml.etree import ElementTree

from sekkei.advice import Report, Words, plot, simulate
from sekkei.advice.heat import Outcome, Stream, even
from sekkei.advice.heat_chart import PLACES_MAX

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(report: Report, **options: bool) -> ElementTree.Element:
    return ElementTree.fromstring(plot(report, **options))


def heights(line: ElementTree.Element) -> list[float]:
    return [float(point.partition(",")[2]) for point in line.get("points", "").split()]


def an_hour() -> Report:
    return simulate([Stream("put", "t", 0.0, 7_200.0, even(10**6), calls=4_000.0)], seconds=3_600)


def test_requests_above_and_partitions_below() -> None:
    asked, served, throttled, partitions = drawn(an_hour()).findall(f"{SPACE}polyline")
    assert len(heights(asked)) == len(heights(partitions)) == 60
    assert heights(served)[0] > heights(asked)[0]  # further down: less is served than asked
    assert heights(served)[-1] == heights(asked)[-1]
    assert heights(throttled)[0] < heights(throttled)[-1]
    assert heights(partitions)[0] > heights(partitions)[-1]
    assert len({line.get("stroke-dasharray") for line in (asked, served, throttled)}) == 3


def test_who_does_not_see_it_is_told() -> None:
    found = drawn(an_hour())
    assert found.get("role") == "img"
    assert found.findtext(f"{SPACE}title") == Words().title
    assert found.findtext(f"{SPACE}desc") == (
        "4k requests a second are asked; at worst 1.78k of them are throttled, at the end 0. "
        "t: from 4 to 16 partitions."
    )


def test_all_is_served() -> None:
    calm = simulate([Stream("put", "t", 0.0, 10.0, even(10**6), calls=10.0)], seconds=60)
    assert "10 requests a second are asked, and all are served." in plot(calm)


def test_a_page_brings_its_own_colours() -> None:
    alone, within = plot(an_hour()), plot(an_hour(), standalone=False)
    assert "prefers-color-scheme:dark" in alone
    assert "<style" not in within  # it would reach the whole page, and the page's policy refuses it
    assert "var(--plot-throttled," in within
    assert "<script" not in alone + within


def test_names_are_escaped_and_only_the_hottest_drawn() -> None:
    places = {f"<t{number}>": Outcome(f"<t{number}>", refused=number, asked=9) for number in range(9)}
    for outcome in places.values():
        outcome.partitions_by_minute.append(4)
    text = plot(Report(60, places, {}), Words(title="a & b"))
    assert len(ElementTree.fromstring(text).findall(f"{SPACE}polyline")) == 3 + PLACES_MAX
    assert "&lt;t8&gt;" in text
    assert "a &amp; b" in text
    assert "t0" not in text


def test_nothing_to_draw() -> None:
    assert drawn(Report(0, {}, {})).findtext(f"{SPACE}title")
