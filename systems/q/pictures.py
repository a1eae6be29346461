"""Pictures that people upload: what they are is read from their bytes, and all they tell besides is dropped.

A photo carries where and with what it was taken. Only what is needed to draw it is kept: the critical chunks of a PNG
(each with its checksum), the segments of a JPEG that are not application data or comments.
"""

from __future__ import annotations

import zlib

from systems.q.refusals import BadPicture

BYTES_MAX = 300_000
"""What fits into one item, with room; the client makes a picture smaller before it sends it."""
SIDE_MAX = 4096

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"sRGB")
_JPEG = b"\xff\xd8\xff"
_ALONE = {0x01, *range(0xD0, 0xD8)}
_SIZES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_APP14 = 0xEE
"""Adobe's: without it the colours of some pictures are wrong."""


def cleaned(content: bytes) -> tuple[str, bytes]:
    """The kind of a picture and the picture without what it tells; refused when it is none."""
    if len(content) <= BYTES_MAX:
        try:
            if content.startswith(_PNG):
                return "image/png", _png(content)
            if content.startswith(_JPEG):
                return "image/jpeg", _jpeg(content)
        except (IndexError, ValueError):
            pass  # it breaks off, or says something of itself that is not so
    raise BadPicture(field="picture", most=BYTES_MAX // 1000)


def _check_sides(width: int, height: int) -> None:
    if not (1 <= width <= SIDE_MAX and 1 <= height <= SIDE_MAX):
        raise ValueError("sides")


def _png(content: bytes) -> bytes:
    kept = [_PNG]
    at = len(_PNG)
    seen: list[bytes] = []
    while not seen or seen[-1] != b"IEND":
        length = int.from_bytes(content[at : at + 4], "big")
        end = at + 12 + length
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        if end > len(content) or zlib.crc32(kind + body) != int.from_bytes(content[end - 4 : end], "big"):
            raise ValueError("chunk")
        if not seen:
            if kind != b"IHDR" or length != 13:
                raise ValueError("first chunk")
            _check_sides(int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"))
        seen.append(kind)
        if kind in _PNG_KEPT:
            kept.append(content[at:end])
        at = end
    if b"IDAT" not in seen:
        raise ValueError("no picture")
    return b"".join(kept)


def _jpeg(content: bytes) -> bytes:
    kept = [content[:2]]
    at = 2
    sized = False
    while True:
        if content[at] != 0xFF:
            raise ValueError("marker")
        marker = content[at + 1]
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        if marker == 0xD9:
            raise ValueError("no picture")
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        end = at + 2 + length
        if length < 2 or end > len(content):
            raise ValueError("segment")
        if marker in _SIZES:
            sized = True
            _check_sides(
                int.from_bytes(content[at + 7 : at + 9], "big"), int.from_bytes(content[at + 5 : at + 7], "big")
            )
        if not (0xE0 <= marker <= 0xEF or marker == 0xFE) or marker == _APP14:
            kept.append(content[at:end])
        if marker == 0xDA:
            break
        at = end
    last = content.rfind(b"\xff\xd9")
    if not sized or last < end:
        raise ValueError("no picture")
    # The scan to the last end marker; what was put behind it is no part of the picture.
    return b"".join([*kept, content[end : last + 2]])
