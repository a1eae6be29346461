"""The drawing of heat: well-formed, for both themes, with what is named in it escaped."""

from __future__ import annotations

from xml.etree import ElementTree

from sekkei.advice.drawing import LINES_MAX, svg

SPACE = "{http://www.w3.org/2000/svg}"


def lines(text: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(text).findall(f"{SPACE}polyline")


def test_a_line_for_each_place() -> None:
    drawn = svg({"t": [0.0, 0.5, 1.0], "t.by_state": [0.0, 0.0, 0.0]})
    first, second = lines(drawn)
    assert first.get("points", "").count(",") == 3
    heights = [float(point.partition(",")[2]) for point in first.get("points", "").split()]
    assert heights == sorted(heights, reverse=True)  # more refused stands higher
    assert len({each.get("stroke-dasharray") for each in (first, second)}) == 2
    assert "prefers-color-scheme:dark" in drawn


def test_names_are_escaped_and_only_the_hottest_drawn() -> None:
    drawn = svg({f"<t{number}>": [number / 10] for number in range(9)}, title="a & b")
    assert len(lines(drawn)) == LINES_MAX
    assert "&lt;t8&gt;" in drawn
    assert "a &amp; b" in drawn
    assert "t0" not in drawn


def test_nothing_to_draw() -> None:
    assert lines(svg({})) == []
