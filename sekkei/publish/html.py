"""A document as one HTML page that needs nothing else: style and drawing are inside."""

from __future__ import annotations

import re
from html import escape

from .document import Block, Code, Diagram, Document, Grid, Heading, Paragraph
from .svg import svg

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0; --paper: #fff; --wash: #f6f6f9;
  --accent: #0b68cb; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #3a3d44; --paper: #16181c;
  --wash: #1f2227; --accent: #70b8ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.6 system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif; color: var(--ink);
  background: var(--paper); display: grid; grid-template-columns: minmax(180px, 250px) minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 24px 16px; border-right: 1px solid var(--line);
  font-size: 13px; }
nav a { display: block; padding: 3px 0; color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover, nav a:focus { color: var(--accent); }
main { padding: 24px 32px 80px; max-width: 1200px; }
h1 { font-size: 26px; line-height: 1.3; } h2 { margin-top: 48px; padding-top: 8px; border-top: 1px solid var(--line); }
h3 { margin-top: 28px; font-size: 16px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
code, pre { font: 13px/1.5 ui-monospace, "SFMono-Regular", Menlo, monospace; }
code { background: var(--wash); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
pre { background: var(--wash); padding: 14px; border-radius: 8px; overflow-x: auto; }
svg { max-width: 100%; height: auto; } svg rect { fill: var(--wash); stroke: var(--line); }
svg path { fill: none; stroke: var(--line); } svg path.edge { stroke: var(--accent); }
svg text { fill: var(--soft); font: 13px ui-monospace, monospace; }
svg text.title { fill: var(--ink); font: 600 13px system-ui, sans-serif; }
@media (max-width: 760px) { body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 8px 16px 60px; } }
@media print { nav { display: none; } body { display: block; } }
"""


def html(document: Document) -> str:
    links = "".join(
        f'<a href="#{block.anchor}">{escape(block.text)}</a>'
        for block in document.blocks
        if isinstance(block, Heading) and block.level == 2
    )
    body = "\n".join(_block(block) for block in document.blocks)
    return (
        f'<!doctype html>\n<html lang="{document.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<nav>{links}</nav>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f'<h{block.level} id="{block.anchor}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Paragraph):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, Grid):
        return _grid(block)
    if isinstance(block, Code):
        return f"<pre>{escape(block.text)}</pre>"
    assert isinstance(block, Diagram)
    return f'<div class="scroll">{svg(block)}</div>'


def _grid(grid: Grid) -> str:
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in grid.header)
    rows = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>\n" for row in grid.rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def _inline(text: str) -> str:
    """Text with `code` in it and line breaks."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return marked.replace("\n", "<br>")
