"""Markdown in tasks as HTML that is safe: CommonMark and tables, without HTML, images, entities and definitions.

Added are checkboxes in lists, addresses that stand alone, `@names` and `DEV-12`. A line break stays one, and only
addresses of the web become links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token
from markupsafe import Markup, escape

from sekkei.kit.text import folded
from sekkei_systems.tasks.rules.identifiers import REFERENCE

Found = Callable[[re.Match[str]], Markup]
Plain = Callable[[str], Markup]
_CHECK = re.compile(r"\[([ xX])\]\s+")
_BARE = re.compile(r"https?://[^\s<>\"'`（）「」、。]+")
_REL = "noopener noreferrer nofollow"


class Writer:
    """For one team: its address, keys and the names of its members."""

    def __init__(self, base: str = "", keys: Collection[str] = (), names: Iterable[str] = ()) -> None:
        self._base, self._keys = base, frozenset(keys)
        longest_first = sorted(filter(None, names), key=len, reverse=True)
        self._names = re.compile("[@＠](?:" + "|".join(map(re.escape, longest_first)) + ")") if longest_first else None

    def html(self, text: str) -> Markup:
        return Markup(_MARKDOWN.render(text, {"writer": self})).strip()

    def plain(self, text: str) -> Markup:
        """Return text without marks: with its addresses, references and names."""
        return _split(text, _BARE, lambda match: _address(match[0]), self._references)

    def _references(self, text: str) -> Markup:
        return _split(text, REFERENCE, self._reference, self._called)

    def _reference(self, match: re.Match[str]) -> Markup:
        if match[1].upper() not in self._keys:
            return escape(match[0])
        return Markup('<a href="{}/n/{}">{}</a>').format(self._base, match[2], match[0])

    def _called(self, text: str) -> Markup:
        if self._names is None:
            return escape(text)
        return _split(
            text, self._names, lambda match: Markup('<span class="mention">{}</span>').format(match[0]), escape
        )


def _split(text: str, pattern: re.Pattern[str], inside: Found, outside: Plain) -> Markup:
    parts, at = [], 0
    for match in pattern.finditer(text):
        parts += [outside(text[at : match.start()]), inside(match)]
        at = match.end()
    return Markup("").join([*parts, outside(text[at:])])


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _address(text: str) -> Markup:
    """Link an address, without the full stop or bracket that ends the sentence."""
    address = text.rstrip(".,;:!?")
    while address.endswith(")") and address.count(")") > address.count("("):
        address = address[:-1].rstrip(".,;:!?")
    if not _is_web(address):
        return escape(text)
    return Markup('<a href="{}" rel="{}">{}</a>{}').format(address, _REL, address, text[len(address) :])


def _ours(state: StateCore) -> None:
    """Change what CommonMark has made of a text: its tokens."""
    item = False
    for token in state.tokens:
        token.attrs.pop("style", None)
        if token.type.startswith("heading"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
        elif token.type == "inline":
            token.children = [*_inline(token.children or [], state.env["writer"], item)]
        item = token.type == "list_item_open" or (item and token.type == "paragraph_open")


def _inline(tokens: list[Token], writer: Writer, item: bool) -> Iterator[Token]:
    inside_link = 0
    for place, token in enumerate(tokens):
        inside_link += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "link_open":
            token.attrs = {"href": token.attrs["href"], "rel": _REL}
        check = _CHECK.match(token.content) if item and place == 0 and token.type == "text" else None
        if check is not None:
            token.content = token.content[check.end() :]
            yield _raw(
                Markup('<input type="checkbox" disabled{}> ').format("" if check[1] == " " else Markup(" checked"))
            )
        yield _raw(writer.plain(token.content)) if token.type == "text" and not inside_link else token


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Read asterisks as CommonMark does, and also those beside Japanese brackets and full stops: **「太」**は."""
    start, known = state.pos, len(state.delimiters)
    if not emphasis.tokenize(state, silent):
        return False
    for delimiter in state.delimiters[known:]:
        if delimiter.marker == ord("*"):
            delimiter.close |= start > 0 and _is_wide_sign(state.src[start - 1])
            delimiter.open |= state.pos < state.posMax and _is_wide_sign(state.src[state.pos])
    return True


def _is_wide_sign(character: str) -> bool:
    return "\u3001" <= character <= "\u30ff" or "\uff01" <= character <= "\uff65"


def _raw(html: Markup) -> Token:
    return Token("html_inline", "", 0, content=str(html))


def _code(_: RendererHTML, tokens: Sequence[Token], at: int, *__: object) -> str:
    return str(Markup("<pre><code>{}</code></pre>\n").format(tokens[at].content.rstrip("\n")))


_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True, "xhtmlOut": False})
_MARKDOWN.add_render_rule("fence", _code)
_MARKDOWN.add_render_rule("code_block", _code)
_MARKDOWN.enable("table").disable(["html_block", "html_inline", "image", "reference", "entity"])
_MARKDOWN.validateLink = _is_web  # type: ignore[method-assign,assignment]
_MARKDOWN.inline.ruler.at("emphasis", _emphasis)
_MARKDOWN.core.ruler.push("tasks", _ours)


# Calling somebody by name in a comment: `@佐藤 葵`, `@佐藤葵`, `＠さとう`.


MENTIONS_MAX = 50


def mentioned(text: str, names: Mapping[str, str]) -> frozenset[str]:
    """Who of these people (id to name) is called. Spaces, width and case do not matter; of two names that fit, the
    longer one is meant."""
    said = _plain(text)
    found: set[str] = set()
    for name in sorted({_plain(name) for name in names.values()}, key=len, reverse=True):
        if name and f"@{name}" in said:
            said = said.replace(f"@{name}", "@")
            found |= {user_id for user_id, whole in names.items() if _plain(whole) == name}
    return frozenset(sorted(found)[:MENTIONS_MAX])


def _plain(text: str) -> str:
    return "".join(folded(text).split())
