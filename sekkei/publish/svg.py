"""The relations of a design as an SVG drawing: parents to the left, children to the right, a crow's foot for many.

Columns are how deep an entity stands; one that grows too tall goes on beside itself. Within a column, entities stand
near their parents. What has no relation stands in rows below. Texts are measured with the widths of a wide font, so
that they end inside their boxes in every font.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from .document import Diagram

LINE = 18
PAD = 10
_COLUMN_GAP = 64
_ROW_GAP = 16
COLUMN_HEIGHT = 720
"""A column that is taller is split."""
_ROW_WIDTH = 1000
"""Rows of entities without relations are no wider."""
_MONO = 8.0
"""A character of the attributes' lines, 13 px of any monospaced font."""
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]{}- "), frozenset("mwMWGOQ@%&")

Address = Callable[[str], str]


class Box(NamedTuple):
    name: str
    title: str
    lines: list[str]
    x: float
    y: float
    width: float
    height: float


def svg(diagram: Diagram, *, lit: Collection[str] = (), address: Address | None = None) -> str:
    """The drawing; colours come from the page's own variables.

    `lit`      names of entities that are shown as chosen; the others step back
    `address`  where the box of an entity leads
    """
    boxes = _place(diagram)
    if not boxes:
        return ""
    width = max(box.x + box.width for box in boxes) + PAD
    height = max(box.y + box.height for box in boxes) + PAD
    index = {id(entity): number for number, entity in enumerate(diagram.entities)}
    edges = [
        _edge(boxes[index[id(one.parent)]], boxes[index[id(one.child)]], one.many, lit) for one in diagram.relations
    ]
    drawn = [_box(box, lit, address) for box in boxes]
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    # Whoever listens to a page hears nothing of what is inside of an image, links included.
    role = "img" if address is None else "group"
    return f'<svg role="{role}" xmlns="http://www.w3.org/2000/svg" {size}>{"".join(edges)}{"".join(drawn)}</svg>'


# Where everything stands


def _edges(diagram: Diagram) -> list[tuple[int, int]]:
    """Parent and child by number, without what would lead back to where it came from."""
    index = {id(entity): number for number, entity in enumerate(diagram.entities)}
    below: dict[int, set[int]] = {}
    kept: list[tuple[int, int]] = []
    for relation in diagram.relations:
        parent, child = index[id(relation.parent)], index[id(relation.child)]
        if parent == child or _reaches(below, child, parent):
            continue
        below.setdefault(parent, set()).add(child)
        kept.append((parent, child))
    return kept


def _reaches(below: dict[int, set[int]], start: int, end: int) -> bool:
    waiting, seen = [start], set[int]()
    while waiting:
        one = waiting.pop()
        if one == end:
            return True
        if one not in seen:
            seen.add(one)
            waiting += below.get(one, ())
    return False


def _levels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """How deep each entity stands below those that nothing owns."""
    level = [0] * count
    for _ in range(count):  # as often as a chain can be long
        for parent, child in edges:
            level[child] = max(level[child], level[parent] + 1)
    return level


def _place(diagram: Diagram) -> list[Box]:
    edges = _edges(diagram)
    levels = _levels(len(diagram.entities), edges)
    joined = {id(end) for relation in diagram.relations for end in (relation.parent, relation.child)}
    sizes = [_sized(diagram, number) for number in range(len(diagram.entities))]
    boxes: dict[int, Box] = {}
    x = float(PAD)
    for level in sorted(set(levels)):
        column = [n for n, one in enumerate(diagram.entities) if levels[n] == level and id(one) in joined]
        x = _stand_in_columns(_near_parents(column, edges, boxes), sizes, boxes, x)
    below = max((box.y + box.height + _ROW_GAP for box in boxes.values()), default=float(PAD))
    alone = [number for number in range(len(diagram.entities)) if number not in boxes]
    _stand_in_rows(alone, sizes, boxes, below)
    return [boxes[number] for number in range(len(diagram.entities))]


def _near_parents(column: list[int], edges: Sequence[tuple[int, int]], boxes: dict[int, Box]) -> list[int]:
    def height(number: int) -> float:
        parents = [boxes[parent].y for parent, child in edges if child == number and parent in boxes]
        return sum(parents) / len(parents) if parents else 0.0

    return sorted(column, key=height)


def _stand_in_columns(column: list[int], sizes: list[Box], boxes: dict[int, Box], x: float) -> float:
    """As many columns side by side as the height asks for; returns where the next begins."""
    if not column:
        return x
    total = sum(sizes[number].height + _ROW_GAP for number in column)
    parts = ceil(total / COLUMN_HEIGHT)
    each = ceil(len(column) / parts)
    for start in range(0, len(column), each):
        y, widest = float(PAD), 0.0
        for number in column[start : start + each]:
            boxes[number] = sizes[number]._replace(x=x, y=y)
            y += sizes[number].height + _ROW_GAP
            widest = max(widest, sizes[number].width)
        x += widest + (_COLUMN_GAP if start + each >= len(column) else _COLUMN_GAP / 2)
    return x


def _stand_in_rows(alone: list[int], sizes: list[Box], boxes: dict[int, Box], y: float) -> None:
    x, tallest = float(PAD), 0.0
    for number in alone:
        if x > PAD and x + sizes[number].width > _ROW_WIDTH:
            x, y, tallest = float(PAD), y + tallest + _ROW_GAP, 0.0
        boxes[number] = sizes[number]._replace(x=x, y=y)
        x += sizes[number].width + _ROW_GAP
        tallest = max(tallest, sizes[number].height)


def _sized(diagram: Diagram, number: int) -> Box:
    entity, title = diagram.entities[number], diagram.titles[number]
    keys = [field for name, field in entity.model.fields.items() if name in entity.key_fields]
    lines = [field.stored if field.is_stored else field.name for field in keys]
    width = max([title_width(title), *(mono_width(line) for line in lines)]) + 2 * PAD
    height = LINE * (len(lines) + 1) + PAD * 1.5
    return Box(entity.name, title, lines, 0.0, 0.0, width, height)


def title_width(text: str) -> float:
    """Of a bold text of 13 px, at most."""
    return sum(_letter(letter) for letter in text)


def _letter(letter: str) -> float:
    if ord(letter) >= 0x2E80:
        return 14.0
    if letter in _NARROW:
        return 6.0
    if letter in _WIDE:
        return 13.8
    return 10.8 if letter.isupper() else 9.4


def mono_width(text: str) -> float:
    return sum(_MONO if ord(letter) < 0x2E80 else 14.0 for letter in text)


# How it looks


def _box(box: Box, lit: Collection[str], address: Address | None) -> str:
    texts = [f'<text class="title" x="{box.x + PAD:.0f}" y="{box.y + LINE:.0f}">{escape(box.title)}</text>']
    for number, line in enumerate(box.lines, 1):
        y = box.y + LINE * (number + 1) + PAD * 0.4
        texts.append(f'<text x="{box.x + PAD:.0f}" y="{y:.0f}">{escape(line)}</text>')
    rule = box.y + LINE + PAD * 0.5
    drawn = (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="5"/>'
        f'<path d="M{box.x:.0f} {rule:.0f}h{box.width:.0f}"/>{"".join(texts)}'
    )
    state = f' class="{"lit" if box.name in lit else "dim"}"' if lit else ""
    inside = f"<g{state}>{drawn}</g>" if lit else drawn
    name = f"{box.title}: {', '.join(box.lines)}"
    return (
        inside if address is None else f'<a href="{escape(address(box.name))}" aria-label="{escape(name)}">{inside}</a>'
    )


def _edge(parent: Box, child: Box, many: bool, lit: Collection[str]) -> str:
    start = (parent.x + parent.width, parent.y + parent.height / 2)
    end = (child.x, child.y + child.height / 2)
    bend = (end[0] - start[0]) / 2 if end[0] > start[0] else _COLUMN_GAP
    curve = (
        f"M{start[0]:.0f} {start[1]:.0f}C{start[0] + bend:.0f} {start[1]:.0f} "
        f"{end[0] - bend:.0f} {end[1]:.0f} {end[0]:.0f} {end[1]:.0f}"
    )
    foot = f"M{end[0]:.0f} {end[1] - 6:.0f}l-10 6l10 6" if many else f"M{end[0] - 8:.0f} {end[1] - 6:.0f}v12"
    bar = f"M{start[0] + 8:.0f} {start[1] - 6:.0f}v12"
    dim = " dim" if lit and not {parent.name, child.name} <= set(lit) else ""
    return f'<path class="edge{dim}" d="{curve}{foot}{bar}"/>'
