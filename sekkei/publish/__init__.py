"""A design, published: the document it came from, made from the code.

document(design, "ja")       the design as a document: headings, tables, examples, a diagram
markdown(document(...))      as Markdown, with the diagram as Mermaid source
html(document(...))          as one self-contained page, with the diagram as SVG
"""

from .document import Document, document
from .html import html
from .markdown import markdown

__all__ = ["Document", "document", "html", "markdown"]
