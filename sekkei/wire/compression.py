"""Bodies that travel compressed: requests that say so, and large answers to clients that can take them."""

from __future__ import annotations

import gzip
import zlib

from sekkei.errors import InternalServerError

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
