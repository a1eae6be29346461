"""Markdown, the part of it that people use in tasks, as HTML that is safe: everything typed is escaped first, and only
these marks become elements. Headings, lists, checkboxes, quotes, code, bold, italics, links, `@names` and `DEV-12`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from sekkei_systems.tasks.rules.numbers import REFERENCE

Found = Callable[[re.Match[str]], Markup]
Plain = Callable[[str], Markup]
_ITEM = re.compile(r"(?:[-*+]|(\d{1,4})[.)])\s+(.*)")
_CHECK = re.compile(r"\[([ xX])\]\s+(.*)")
_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_FENCE = "```"
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\(([^\s()]{1,2000})\)")
_BARE = re.compile(r"https?://[^\s<>\"'`（）「」、。]+")
_BOLD = re.compile(r"\*\*(?=\S)(.{1,1000}?)(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])(.{1,1000}?)(?<=[^\s*])\*(?![\w*])")


class Writer:
    """For one team: its address, keys and the names of its members."""

    def __init__(self, base: str = "", keys: Collection[str] = (), names: Iterable[str] = ()) -> None:
        self._base, self._keys = base, frozenset(keys)
        longest_first = sorted(filter(None, names), key=len, reverse=True)
        self._names = re.compile("[@＠](?:" + "|".join(map(re.escape, longest_first)) + ")") if longest_first else None

    def html(self, text: str) -> Markup:
        return Markup("\n").join(self._blocks(text.splitlines()))

    def _blocks(self, lines: list[str]) -> Iterator[Markup]:
        at = 0
        while at < len(lines):
            line = lines[at].strip()
            if not line:
                at += 1
            elif line.startswith(_FENCE):
                stop = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == _FENCE), len(lines))
                yield Markup("<pre><code>{}</code></pre>").format("\n".join(lines[at + 1 : stop]))
                at = stop + 1
            else:
                stop = at
                while (stop < len(lines) and self._kind(lines[stop]) == self._kind(line) != "heading") or stop == at:
                    stop += 1
                yield self._block(self._kind(line), [each.strip() for each in lines[at:stop]])
                at = stop

    def _kind(self, line: str) -> str:
        text = line.strip()
        if not text or text.startswith(_FENCE):
            return "end"
        if _HEADING.fullmatch(text):
            return "heading"
        item = _ITEM.fullmatch(text)
        if item:
            return "ol" if item[1] else "ul"
        return "blockquote" if text.startswith(">") else "p"

    def _block(self, kind: str, lines: list[str]) -> Markup:
        if kind == "heading":
            found = _HEADING.fullmatch(lines[0])
            assert found is not None
            level = min(len(found[1]) + 2, 6)
            return Markup(f"<h{level}>{{}}</h{level}>").format(self._line(found[2]))
        if kind in ("ul", "ol"):
            items = Markup("").join(Markup("<li>{}</li>").format(self._item(line)) for line in lines)
            return Markup(f"<{kind}>{{}}</{kind}>").format(items)
        if kind == "blockquote":
            lines = [line.lstrip("> ") for line in lines]
        inside = Markup("<br>").join(self._line(line) for line in lines)
        return Markup(f"<{kind}>{{}}</{kind}>").format(inside)

    def _item(self, line: str) -> Markup:
        found = _ITEM.fullmatch(line)
        assert found is not None
        check = _CHECK.fullmatch(found[2])
        if check is None:
            return self._line(found[2])
        box = Markup('<input type="checkbox" disabled{}> ').format(Markup(" checked") if check[1] != " " else "")
        return box + self._line(check[2])

    # Inside a line: code and links first, because nothing inside them is a mark

    def _line(self, text: str) -> Markup:
        return self._split(text, _CODE, lambda found: Markup("<code>{}</code>").format(found[1]), self._links)

    def _links(self, text: str) -> Markup:
        return self._split(text, _LINK, self._link, self._bare)

    def _link(self, found: re.Match[str]) -> Markup:
        if not _is_web(found[2]):
            return escape(found[0])
        return _anchor(found[2], self._marks(found[1]))

    def _bare(self, text: str) -> Markup:
        return self._split(text, _BARE, lambda found: _address(found[0]), self._references)

    def _references(self, text: str) -> Markup:
        return self._split(text, REFERENCE, self._reference, self._called)

    def _reference(self, found: re.Match[str]) -> Markup:
        if found[1].upper() not in self._keys:
            return escape(found[0])
        return Markup('<a href="{}/n/{}">{}</a>').format(self._base, found[2], found[0])

    def _called(self, text: str) -> Markup:
        if self._names is None:
            return self._marks(text)
        mention = Markup('<span class="mention">{}</span>')
        return self._split(text, self._names, lambda found: mention.format(found[0]), self._marks)

    def _marks(self, text: str) -> Markup:
        safe = str(escape(text))
        safe = _BOLD.sub(r"<strong>\1</strong>", safe)
        return Markup(_ITALIC.sub(_emphasised, safe))

    def _split(self, text: str, pattern: re.Pattern[str], inside: Found, outside: Plain) -> Markup:
        parts, at = [], 0
        for found in pattern.finditer(text):
            parts += [outside(text[at : found.start()]), inside(found)]
            at = found.end()
        return Markup("").join([*parts, outside(text[at:])])


def _emphasised(found: re.Match[str]) -> str:
    """Marks that cross others are text."""
    inside = found[1]
    opened, closed = inside.find("<strong>"), inside.find("</strong>")
    crossed = opened > closed or inside.count("<strong>") != inside.count("</strong>")
    return found[0] if crossed else f"<em>{inside}</em>"


def _is_web(address: str) -> bool:
    try:
        found = urlsplit(address)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and bool(found.netloc)


def _address(text: str) -> Markup:
    """Without the full stop that ends the sentence."""
    address = text.rstrip(".,;:!?)")
    return _anchor(address, escape(address)) + escape(text[len(address) :]) if _is_web(address) else escape(text)


def _anchor(address: str, inside: Markup) -> Markup:
    return Markup('<a href="{}" rel="noopener noreferrer nofollow">{}</a>').format(address, inside)
