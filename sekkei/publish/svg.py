"""The relations of a design as an SVG drawing: parents to the left, children to the right, a crow's foot for many."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from .document import Diagram

LINE = 18
PAD = 10
COLUMN_GAP = 70
ROW_GAP = 18
CHARACTER = 7.2  # the width of an average Latin character at 13 px; full-width ones count double


class Box(NamedTuple):
    title: str
    lines: list[str]
    x: float
    y: float
    width: float
    height: float


def svg(diagram: Diagram) -> str:
    """The drawing; colours come from the page's own variables."""
    boxes = _place(diagram)
    if not boxes:
        return ""
    width = max(box.x + box.width for box in boxes) + PAD
    height = max(box.y + box.height for box in boxes) + PAD
    index = {id(entity): number for number, entity in enumerate(diagram.entities)}
    edges = [
        _edge(boxes[index[id(relation.parent)]], boxes[index[id(relation.child)]], relation.many)
        for relation in diagram.relations
    ]
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return (
        f'<svg role="img" xmlns="http://www.w3.org/2000/svg" {size}>{"".join(edges)}{"".join(map(_box, boxes))}</svg>'
    )


def _levels(diagram: Diagram) -> list[int]:
    """How deep each entity stands below those that nothing owns."""
    index = {id(entity): number for number, entity in enumerate(diagram.entities)}
    level = [0] * len(diagram.entities)
    for _ in diagram.entities:  # as often as a chain can be long
        for relation in diagram.relations:
            parent, child = index[id(relation.parent)], index[id(relation.child)]
            if level[child] <= level[parent] < len(diagram.entities):
                level[child] = level[parent] + 1
    return [min(one, len(diagram.entities)) for one in level]


def _width(text: str) -> float:
    return sum(CHARACTER * (1 if ord(character) < 0x2E80 else 1.85) for character in text)


def _place(diagram: Diagram) -> list[Box]:
    levels = _levels(diagram)
    boxes: dict[int, Box] = {}
    x = float(PAD)
    for level in sorted(set(levels)):
        y, widest = float(PAD), 0.0
        for number, entity in enumerate(diagram.entities):
            if levels[number] != level:
                continue
            keys = [entity.model.fields[name] for name in entity.model.fields if name in entity.key_fields]
            lines = [field.stored if field.is_stored else field.name for field in keys]
            title = diagram.titles[number]
            width = max(map(_width, [title, *lines])) + 2 * PAD
            height = LINE * (len(lines) + 1) + PAD * 1.5
            boxes[number] = Box(title, lines, x, y, width, height)
            y += height + ROW_GAP
            widest = max(widest, width)
        x += widest + COLUMN_GAP
    return [boxes[number] for number in range(len(diagram.entities))]


def _box(box: Box) -> str:
    texts = [f'<text class="title" x="{box.x + PAD:.0f}" y="{box.y + LINE:.0f}">{escape(box.title)}</text>']
    for number, line in enumerate(box.lines, 1):
        y = box.y + LINE * (number + 1) + PAD * 0.4
        texts.append(f'<text x="{box.x + PAD:.0f}" y="{y:.0f}">{escape(line)}</text>')
    rule = box.y + LINE + PAD * 0.5
    return (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="5"/>'
        f'<path d="M{box.x:.0f} {rule:.0f}h{box.width:.0f}"/>{"".join(texts)}'
    )


def _edge(parent: Box, child: Box, many: bool) -> str:
    start = (parent.x + parent.width, parent.y + parent.height / 2)
    end = (child.x, child.y + child.height / 2)
    bend = (end[0] - start[0]) / 2 if end[0] > start[0] else COLUMN_GAP
    curve = (
        f"M{start[0]:.0f} {start[1]:.0f}C{start[0] + bend:.0f} {start[1]:.0f} "
        f"{end[0] - bend:.0f} {end[1]:.0f} {end[0]:.0f} {end[1]:.0f}"
    )
    foot = f"M{end[0]:.0f} {end[1] - 6:.0f}l-10 6l10 6" if many else f"M{end[0] - 8:.0f} {end[1] - 6:.0f}v12"
    bar = f"M{start[0] + 8:.0f} {start[1] - 6:.0f}v12"
    return f'<path class="edge" d="{curve}{foot}{bar}"/>'
