"""The drawing of relations: nothing overlaps, texts end inside their boxes, whatever the design looks like."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from sekkei.design import Attr, Design, Entity, Key, attr, model, part
from sekkei.publish.document import Diagram
from sekkei.publish.svg import COLUMN_HEIGHT, PAD, Box, _place, mono_width, svg, title_width


def diagram(count: int, relations: list[tuple[int, int]]) -> Diagram:
    design = Design("many")
    entities: list[Entity[..., object]] = []
    for number in range(count):
        table = design.table(f"table{number}", "PK")

        @model
        class Thing:
            number_of_the_thing: Attr[str] = part()
            text: Attr[str] = attr(default="")

        @table.entity(Thing)
        def things(number_of_the_thing: str) -> Key:
            return Key(number_of_the_thing)

        things.name = f"things{number}"
        entities.append(things)
    for parent, child in relations:
        design.relate(entities[parent], entities[child])
    titles = ["WWWW 大きな見出しのあるもの" if number % 2 else "a plain one" for number in range(count)]
    return Diagram(entities, design.relations, titles)


def overlap(one: Box, other: Box) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    above = one.y + one.height <= other.y or other.y + other.height <= one.y
    return not beside and not above


@pytest.mark.parametrize(
    ("count", "relations"),
    [
        (3, [(0, 1), (1, 2)]),
        (30, [(0, number) for number in range(1, 30)]),
        (30, [(number, number + 1) for number in range(29)]),
        (30, []),
        (4, [(0, 0), (0, 1), (1, 2), (2, 0)]),
    ],
    ids=["three", "a wide one", "a deep one", "without relations", "in a circle"],
)
def test_nothing_overlaps_and_texts_fit(count: int, relations: list[tuple[int, int]]) -> None:
    boxes = _place(diagram(count, relations))
    assert len(boxes) == count
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    for box in boxes:
        assert title_width(box.title) + 2 * PAD <= box.width
        assert all(mono_width(line) + 2 * PAD <= box.width for line in box.lines)
    assert max(box.y + box.height for box in boxes) < 1.3 * COLUMN_HEIGHT


def test_what_is_chosen_is_lit_and_boxes_lead_somewhere() -> None:
    drawn = svg(diagram(3, [(0, 1), (1, 2)]), lit=["things1"], address=lambda name: f"?entity={name}&x=<1>")
    assert drawn.count('class="lit"') == 1
    assert drawn.count('class="dim"') == 2
    assert 'href="?entity=things1&amp;x=&lt;1&gt;"' in drawn
    assert "<1>" not in re.sub(r"<(?=[a-z/])", "", drawn)
    assert svg(Diagram([], [], [])) == ""
    assert 'class="lit"' not in svg(diagram(2, []))
