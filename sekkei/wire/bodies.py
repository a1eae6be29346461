"""JSON bodies: a large one is parsed piece by piece, with a pause after every few; compressed ones are unpacked.

A thread would not help. The parser makes Python's objects and holds the interpreter until it is through, which takes
half a second and more for sixteen megabytes of the smallest values. So a body is cut where one value of a container
ends and the next begins, and every piece is parsed by the same parser: the result is that of parsing it whole.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Generator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import orjson

from sekkei.errors import InternalServerError, SerializationException

COMPRESSED_FROM_BYTES = 4 * 1024
"""Smaller answers stay as they are, as DynamoDB's do."""
_GZIP = 16 + zlib.MAX_WBITS


class TooLarge(Exception):
    """What comes out is more than a request may be."""


def decompressed(body: bytes, encoding: bytes, bytes_max: int) -> bytes:
    """A request's body as it was before; DynamoDB answers a broken one with an internal error."""
    window = {b"gzip": _GZIP, b"deflate": zlib.MAX_WBITS}.get(encoding.strip().lower())
    if window is None or not body:
        raise InternalServerError("The request's Content-Encoding is not one that can be undone.")
    found = b""
    while body:  # gzip files may follow each other
        stream = zlib.decompressobj(window)
        try:
            found += stream.decompress(body, bytes_max - len(found) + 1)
        except zlib.error:
            raise InternalServerError("The request's body does not match its Content-Encoding.") from None
        if len(found) > bytes_max:
            raise TooLarge
        if not stream.eof:
            raise InternalServerError("The request's body ends before its compressed content does.")
        body = stream.unused_data
    return found


def accepted(accept_encoding: bytes) -> bytes | None:
    """The encoding to answer in, if the client takes one of ours."""
    offered = {part.partition(b";")[0].strip().lower() for part in accept_encoding.split(b",")}
    for encoding in (b"gzip", b"deflate"):
        if encoding in offered:
            return encoding
    return None


def compressed(body: bytes, encoding: bytes) -> bytes:
    return gzip.compress(body, compresslevel=1, mtime=0) if encoding == b"gzip" else zlib.compress(body, 1)


LARGE_BYTES = 256 * 1024
PIECE_BYTES = 64 * 1024
SLICE_SECONDS = 0.004
_DEPTH_MAX = 1024
"""As deep as the parser itself goes."""
_TOKENS_BETWEEN_LOOKS = 256
_SPACE = b" \t\r\n"
# A small container with none inside is one token, whatever its brackets are; a string without an end goes on to the end
# of the body. What is wrong with them the parser finds out.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SMALL = rb'[\[{](?:[^"\[\]{}]++|%b){0,32}+[\]}]' % _STRING
_TOKEN = re.compile(rb"%b|%b?|[\[\]{}]" % (_SMALL, _STRING), re.DOTALL)
_QUOTE, _OPEN, _OPEN_MAP, _CLOSE_LIST = ord('"'), b"[{", ord("{"), ord("]")


def parsed(body: bytes) -> Any:
    """The whole at once."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise SerializationException from None


def parsed_in_pieces(body: bytes) -> Generator[None, None, Any]:
    """The same; every `yield` is a pause for others."""
    root = _Container([], 0, 0)
    open_ones = [root]
    string = (0, 0)
    until = perf_counter() + SLICE_SECONDS
    for number, token in enumerate(_TOKEN.finditer(body)):
        start, end = token.span()
        kind = body[start]
        inner = open_ones[-1]
        if kind == _QUOTE:
            string = (start, end)
            if start - inner.taken >= PIECE_BYTES and _begins_a_value(body, start, inner):
                inner.take(body, start, followed=True)
        elif end - start > 1:
            if end - inner.taken >= PIECE_BYTES:
                inner.take(body, end, followed=False)
        elif kind in _OPEN:
            open_ones.append(_Container({} if kind == _OPEN_MAP else [], start, end, string))
            if len(open_ones) > _DEPTH_MAX:
                raise SerializationException
        else:
            _close(body, open_ones, start, is_list=kind == _CLOSE_LIST)
        if not number % _TOKENS_BETWEEN_LOOKS and perf_counter() > until:
            yield
            until = perf_counter() + SLICE_SECONDS
    if len(open_ones) != 1:
        raise SerializationException
    root.take(body, len(body), followed=False)
    if len(root.value) != 1:
        raise SerializationException
    return root.value[0]


@dataclass(slots=True)
class _Container:
    """A list or a map whose end has not come yet, as far as it has been taken over."""

    value: Any
    start: int
    taken: int
    """How far it has been taken over; what is between here and the next cut is still text."""
    name: tuple[int, int] = (0, 0)
    """Where the last string before it is: its name, if it is in a map."""
    is_cut: bool = False
    wants_comma: bool = False
    """After a value that was taken over. Where a comma was, a value must follow."""
    wants_value: bool = False

    def take(self, body: bytes, end: int, *, followed: bool) -> None:
        """Take over the values up to `end`; `followed` says that another value begins there."""
        text = body[self.taken : end].strip(_SPACE)
        self.taken, self.is_cut = end, True
        if self.wants_comma and (text or followed):
            if not text.startswith(b","):
                raise SerializationException
            text = text[1:].strip(_SPACE)
            self.wants_comma, self.wants_value = False, True
        if followed and text:
            if not text.endswith(b","):
                raise SerializationException
            text = text[:-1].strip(_SPACE)
            if not text:
                raise SerializationException
        if text:
            self._add(text)
            self.wants_value, self.wants_comma = followed, not followed
        elif self.wants_value and not followed:
            raise SerializationException

    def _add(self, text: bytes) -> None:
        if isinstance(self.value, list):
            self.value += parsed(b"[%b]" % text)
        else:
            self.value |= parsed(b"{%b}" % text)


def _begins_a_value(body: bytes, start: int, inner: _Container) -> bool:
    """Whether a string is an element, or the name of one: not what stands after a name."""
    return body[inner.taken : start].rstrip(_SPACE).endswith(b",")


def _close(body: bytes, open_ones: list[_Container], start: int, *, is_list: bool) -> None:
    inner = open_ones.pop()
    if not open_ones or isinstance(inner.value, list) is not is_list:
        raise SerializationException
    outer = open_ones[-1]
    if not inner.is_cut and start - inner.start < PIECE_BYTES:
        if start - outer.taken >= PIECE_BYTES:
            outer.take(body, start + 1, followed=False)
        return
    inner.take(body, start, followed=False)
    if isinstance(outer.value, list):
        outer.take(body, inner.start, followed=True)
        outer.value.append(inner.value)
    else:
        name, after = inner.name
        if name < outer.taken or body[after : inner.start].strip(_SPACE) != b":":
            raise SerializationException
        outer.take(body, name, followed=True)
        outer.value[parsed(body[name:after])] = inner.value
    outer.taken, outer.wants_comma, outer.wants_value = start + 1, True, False
