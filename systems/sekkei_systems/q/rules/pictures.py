"""Pictures that people upload: decoded, cut to a square, drawn anew. Nothing of the file that came is kept.

A photo tells where and with what it was taken, and a file that looks like a picture may be something else besides. What
is stored is a new JPEG of our own making.
"""

from __future__ import annotations

import asyncio
import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from sekkei_systems.q.refusals import BadPicture

if TYPE_CHECKING:
    from PIL import Image

BYTES_MAX = 5_000_000
PIXELS_MAX = 50_000_000
"""More than phones take; a small file can claim to be far larger and would fill the memory."""
SIDE = 512
QUALITY = 85
CONTENT_TYPE = "image/jpeg"
AT_ONCE = 2
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_BACKGROUND = (255, 255, 255)


class Easel:
    """Draws pictures off the event loop, and few at a time: each takes up to 200 MB for a moment."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def draw(self, content: bytes) -> bytes:
        if not 0 < len(content) <= BYTES_MAX:
            raise BadPicture(field="content", most=BYTES_MAX // 1_000_000)
        async with self._turn:
            return await asyncio.to_thread(drawn_anew, content)


def drawn_anew(content: bytes) -> bytes:
    """A picture as it is stored; refused when it is none, claims to be huge, or is of a kind that is not taken."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # only uploads need it, and it takes a while to load

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Pillow only warns of is no picture that anybody needs
            with Image.open(BytesIO(content), formats=FORMATS) as found:
                if found.width * found.height > PIXELS_MAX:
                    raise ValueError("too many pixels")
                found.draft("RGB", (2 * SIDE, 2 * SIDE))  # a JPEG is decoded no larger than needed
                upright = ImageOps.exif_transpose(found)
                square = ImageOps.fit(_flat(upright), _size(upright), Image.Resampling.LANCZOS)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, Warning):
        raise BadPicture(field="content", most=BYTES_MAX // 1_000_000) from None
    square.info.clear()  # comments and profiles come along with the pixels, and would be written again
    made = BytesIO()
    square.save(made, "JPEG", quality=QUALITY, optimize=True)
    return made.getvalue()


def _size(image: Image.Image) -> tuple[int, int]:
    side = max(1, min(SIDE, image.width, image.height))
    return side, side


def _flat(image: Image.Image) -> Image.Image:
    """Colours alone: what could be seen through is on white."""
    from PIL import Image

    if not image.has_transparency_data:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    flat = Image.new("RGB", clear.size, _BACKGROUND)
    flat.paste(clear, mask=clear.getchannel("A"))
    return flat
