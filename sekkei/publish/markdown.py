"""A document as Markdown; the diagram as Mermaid source, which GitHub and most viewers draw."""

from __future__ import annotations

import re

from .document import Block, Code, Diagram, Document, Grid, Heading, Paragraph


def markdown(document: Document) -> str:
    return "\n\n".join(_block(block) for block in document.blocks) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Grid):
        return _grid(block)
    if isinstance(block, Code):
        return f"```{block.language}\n{block.text}\n```"
    return f"```mermaid\n{mermaid(block)}\n```"


def _grid(grid: Grid) -> str:
    lines = [_row(grid.header), _row(["---"] * len(grid.header))]
    return "\n".join([*lines, *(_row(row) for row in grid.rows)])


def _row(cells: object) -> str:
    assert isinstance(cells, list | tuple)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def mermaid(diagram: Diagram) -> str:
    """The relations as an erDiagram."""
    lines = ["erDiagram"]
    for relation in diagram.relations:
        ends = "||--o{" if relation.many else "||--o|"
        lines.append(f"  {_name(relation.parent.name)} {ends} {_name(relation.child.name)} : has")
    for entity in diagram.entities:
        lines.append(f"  {_name(entity.name)} {{")
        for name in entity.model.fields:
            if name in entity.key_fields:
                field = entity.model.fields[name]
                stored = field.stored if field.is_stored else name
                lines.append(f"    {field.codec.kind} {_name(stored)} PK")
        lines.append("  }")
    return "\n".join(lines)


def _name(text: str) -> str:
    return re.sub(r"\W", "_", text)
