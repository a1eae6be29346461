"""Key templates: `"{event_id}#{created_at}#{notice_id}"` builds a key, takes one apart, and gives its prefixes.

No two different sets of components may give the same key. So every component either has a fixed width, or is
followed by the delimiter, which it must not contain; a design that breaks this does not load.
"""

from __future__ import annotations

import re
from _string import formatter_parser  # type: ignore[import-not-found]  # what string.Formatter().parse calls
from collections.abc import Mapping
from typing import Any

from .codecs import AttributeValue, Choice, Codec, Integer, LiteralCodec, Text, Unfit
from .errors import DesignError, ValueRefused
from .fields import Field
from .placeholders import is_sample


class Component:
    """One `{attribute}` of a template."""

    __slots__ = ("codec", "delimiter", "field", "fixed", "pattern", "width")

    def __init__(self, field: Field[Any, Any], width: int | None, delimiter: str) -> None:
        self.field, self.width, self.delimiter = field, width, delimiter
        self.codec: Codec = field.codec
        self.fixed = self.codec.fixed or width is not None
        self.pattern = self._pattern()

    def _pattern(self) -> str:
        if self.width is not None:
            return rf"\d{{{self.width}}}"
        if not isinstance(self.codec, Text):
            return self.codec.pattern or ""
        inner = f"[^{re.escape(self.delimiter)}]+"
        if self.field.form is None:
            return inner
        start, end = self.field.form.split("{}")
        return re.escape(start) + inner + re.escape(end)

    def text(self, value: Any) -> str:
        """The value as it stands in the key; refuses what would not come back the same."""
        field = self.field
        try:
            text = self.codec.text(value)
        except Unfit as error:
            raise ValueRefused("SK201", f"{field.label} {error}. Pass a value of the declared type.") from None
        if self.width is not None:
            return self._padded(text, value)
        if self.fixed or is_sample(value):
            return text
        if not text:
            raise ValueRefused(
                "SK204", f"{field.label} is empty, and a key cannot hold an empty part. Give it a value."
            )
        return self._delimited(text)

    def _padded(self, text: str, value: Any) -> str:
        if is_sample(value):
            return text
        if not text.isdigit() or len(text) > (self.width or 0):
            raise ValueRefused(
                "SK205",
                f"{self.field.label} = {value} does not fit its {self.width} digits in the key. "
                "Keys hold whole numbers from 0; widen the template (this needs a migration) or correct the value.",
            )
        return text.zfill(self.width or 0)

    def _delimited(self, text: str) -> str:
        field, inner = self.field, text
        if field.escape:
            return text.replace("%", "%25").replace(self.delimiter, f"%{ord(self.delimiter):02X}")
        if field.form is not None:
            field.check_form(text)
            start, end = field.form.split("{}")
            inner = text[len(start) : len(text) - len(end)]
        if self.delimiter in inner:
            raise ValueRefused(
                "SK203",
                f"{field.label} = {text!r} contains the delimiter {self.delimiter!r}; another item could get the same "
                "key. Refuse such values where they come in, or declare attr(escape=True) or attr(form=...).",
            )
        return text

    def value(self, text: str) -> Any:
        if self.field.escape:
            text = text.replace(f"%{ord(self.delimiter):02X}", self.delimiter).replace("%25", "%")
        return self.codec.from_text(text)


class Template:
    """A template bound to the attributes of one model."""

    def __init__(self, text: str, fields: Mapping[str, Field[Any, Any]], delimiter: str, place: str) -> None:
        self.text, self.place, self.delimiter = text, place, delimiter
        self.pieces: list[str | Component] = []
        for literal, name, spec, _ in formatter_parser(text):
            if literal:
                self.pieces.append(literal)
            if name is not None:
                self.pieces.append(self._component(name, spec or "", fields))
        self.components = [piece for piece in self.pieces if isinstance(piece, Component)]
        self.literal = self.pieces[0] if isinstance(self.pieces[0], str) else ""  # how every such key begins
        self.whole = len(self.pieces) == 1 and len(self.components) == 1 and self.components[0].width is None
        if not self.whole:
            self._check()
        self._match = re.compile(self._regex()).fullmatch
        self._quick = self._quick_component()

    def _component(self, name: str, spec: str, fields: Mapping[str, Field[Any, Any]]) -> Component:
        field = fields.get(name)
        if field is None:
            raise DesignError(
                "SK101", f"{self.place} names {{{name}}}, which is no attribute. Known: {', '.join(sorted(fields))}."
            )
        if not spec:
            return Component(field, None, self.delimiter)
        width = re.fullmatch(r"0(\d+)d?", spec)
        if width is None or not isinstance(field.codec, Integer):
            raise DesignError(
                "SK103", f"{self.place} formats {{{name}:{spec}}}. Only int takes a width: {{{name}:06d}}."
            )
        return Component(field, int(width[1]), self.delimiter)

    def _check(self) -> None:
        for component in self.components:
            field, codec = component.field, component.codec
            if codec.pattern is None:
                raise DesignError(
                    "SK102", f"{self.place} contains {field.label}, whose type cannot stand inside a key. Use another."
                )
            if isinstance(codec, Integer) and component.width is None:
                raise DesignError(
                    "SK103",
                    f"{self.place} holds the number {field.label} without a width, so 10 would sort before 9. "
                    f"Write {{{field.name}:06d}} with as many digits as it will ever need.",
                )
            words = (
                codec.members if isinstance(codec, Choice) else codec.words if isinstance(codec, LiteralCodec) else ()
            )
            if any(self.delimiter in word for word in words):
                raise DesignError(
                    "SK105", f"a value of {field.label} contains {self.delimiter!r}, and {self.place} uses it."
                )
        for piece, following in zip(self.pieces, self.pieces[1:], strict=False):
            self._check_end(piece, following)

    def _check_end(self, piece: str | Component, following: str | Component) -> None:
        if isinstance(piece, str) or piece.fixed:
            return
        if not isinstance(following, str) or not following.startswith(self.delimiter):
            raise DesignError(
                "SK104",
                f"in {self.place} = {self.text!r} nothing marks where {piece.field.label} ends. "
                f"Put {self.delimiter!r} behind it.",
            )

    def _regex(self) -> str:
        seen: set[str] = set()
        text = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                text += re.escape(piece)
            elif piece.field.name in seen:
                text += f"(?P={piece.field.name})"
            else:
                seen.add(piece.field.name)
                text += f"(?P<{piece.field.name}>{piece.pattern})"
        return text

    @property
    def kind(self) -> str:
        """The DynamoDB type of the key attribute."""
        return self.components[0].codec.kind if self.whole else "S"

    def _quick_component(self) -> str | None:
        """The one plain text that most keys are made of, after a constant; such a key needs no loop."""
        if len(self.components) != 1 or not isinstance(self.pieces[-1], Component) or len(self.pieces) > 2:
            return None
        component = self.components[0]
        plain = type(component.codec) is Text and component.field.form is None and not component.field.escape
        return component.field.name if plain else None

    def encode(self, values: Mapping[str, Any]) -> AttributeValue | None:
        """The key attribute made of `values`; None when a component is None."""
        if self._quick is not None:
            value = values[self._quick]
            if type(value) is str and value and (self.whole or self.delimiter not in value):
                return {"S": self.literal + value}
        if self.whole:
            return self.encode_whole(values[self.components[0].field.name])
        text = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                text += piece
                continue
            value = values[piece.field.name]
            if value is None:
                value = piece.field.absent_as
                if value is None:
                    return None
            text += piece.text(value)
        return {"S": text}

    def encode_whole(self, value: Any) -> AttributeValue | None:
        field = self.components[0].field
        if value is None:
            value = field.absent_as
        stored = None if value is None else field.encode(value)
        if stored is not None and not next(iter(stored.values())):
            raise ValueRefused("SK204", f"{field.label} is empty, and a key cannot be empty. Give it a value.")
        return stored

    def parse(self, text: str) -> dict[str, Any] | None:
        """The components of a key; None when the key is not one of this template's."""
        if self.whole:
            component = self.components[0]
            return {component.field.name: component.codec.from_text(text)}
        match = self._match(text)
        if match is None:
            return None
        try:
            return {piece.field.name: piece.value(match[piece.field.name]) for piece in self.components}
        except (ValueError, KeyError):
            return None  # the right shape, but no such date or word

    def fits(self, stored: AttributeValue) -> bool:
        """Could this stored key attribute come from the template?"""
        if self.whole and self.components[0].field.form is None and (self.kind != "S" or self._quick is not None):
            return self.kind in stored
        return "S" in stored and self._match(stored["S"]) is not None
