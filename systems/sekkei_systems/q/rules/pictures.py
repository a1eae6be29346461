"""Pictures that people upload: decoded, cut to a square, drawn anew. Nothing of the file that came is kept.

A photo tells where and with what it was taken, and a file that looks like a picture may be something else besides. What
is stored is a new JPEG of our own making.
"""

from __future__ import annotations

import asyncio
import unicodedata
import warnings
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.refusals import BadPicture
from sekkei_systems.q.rules.writing import clusters
from sekkei_systems.q.texts import say

if TYPE_CHECKING:
    from PIL import Image

BYTES_MAX = 5_000_000
_PIXELS_MAX = 50_000_000
"""More than phones take; a small file can claim to be far larger and would fill the memory."""
_SIDE = 512
_QUALITY = 85
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
                if found.width * found.height > _PIXELS_MAX:
                    raise ValueError("too many pixels")
                found.draft("RGB", (2 * _SIDE, 2 * _SIDE))  # a JPEG is decoded no larger than needed
                upright = ImageOps.exif_transpose(found)
                square = ImageOps.fit(_flat(upright), _size(upright), Image.Resampling.LANCZOS)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, Warning):
        raise BadPicture(field="content", most=BYTES_MAX // 1_000_000) from None
    square.info.clear()  # comments and profiles come along with the pixels, and would be written again
    made = BytesIO()
    square.save(made, "JPEG", quality=_QUALITY, optimize=True)
    return made.getvalue()


def _size(image: Image.Image) -> tuple[int, int]:
    side = max(1, min(_SIDE, image.width, image.height))
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


# Pictures to show and share, drawn as SVG: the code by which friends find somebody, and the card of an answer.


WIDTH, HEIGHT = 1080, 1350
_MARGIN = 96
INK, _PAPER, _GLOW = "#1b1a22", "#faf7f2", "#ff5a36"
"""The colours of the client."""
OPENING = "「『（(［【〈《“"
CLOSING = "。、，．」』）)］】〉》”！？!?…ー～・ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
"""What begins no line, or ends none."""
_FONT = "'Hiragino Sans','Noto Sans JP','Yu Gothic UI','Noto Sans CJK JP',system-ui,sans-serif"


def code(url: str) -> bytes:
    """A QR code with the quiet zone that readers need."""
    import segno  # only who shows a code needs it

    found = BytesIO()
    segno.make(url, error="m", micro=False).save(
        found, kind="svg", scale=8, border=4, dark=INK, light="#ffffff", title="Q.", xmldecl=False
    )
    return found.getvalue()


def card(question: str, answer: Answer, name: str, language: str, link: str) -> bytes:
    """An answer as a picture of 4:5, as people post it elsewhere."""
    asked = _lines(question, 18, 2)
    said = _lines(answer.text, 11, 8)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" font-family="{_FONT}">',
        f"<title>{escape(question)} — {escape(answer.text)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{INK}"/>',
        f'<rect x="48" y="48" width="{WIDTH - 96}" height="{HEIGHT - 96}" rx="56" fill="{_PAPER}"/>',
        _text(_MARGIN, 168, 44, "#c93412", _day(answer.day), weight=700),
        *(_text(_MARGIN, 264 + 64 * at, 48, "#5b5866", line, weight=600) for at, line in enumerate(asked)),
        *(_text(_MARGIN, _middle(len(said)) + 108 * at, 80, INK, line, 800) for at, line in enumerate(said)),
        _text(_MARGIN, HEIGHT - 172, 40, "#5b5866", f"{name}　{_when(answer, language)}"),
        _text(_MARGIN, HEIGHT - 116, 32, "#5b5866", link),
        f'<text x="{WIDTH - _MARGIN}" y="{HEIGHT - 120}" font-size="104" font-weight="800" fill="{INK}" '
        f'text-anchor="end">Q<tspan fill="{_GLOW}">.</tspan></text></svg>',
    ]
    return "".join(parts).encode()


def _text(x: int, y: int, size: int, colour: str, text: str, weight: int = 500) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">{escape(text)}</text>'


def _day(day: date) -> str:
    return f"{day.year}.{day.month:02}.{day.day:02}"


def _when(answer: Answer, language: str) -> str:
    return say(language, "card.on-time") if answer.is_on_time else say(language, "card.late", n=answer.late_minutes)


def _middle(count: int) -> int:
    """Where the first line stands so that all of them are in the middle of what is left."""
    return 780 - 54 * (count - 1)


def _lines(text: str, width: int, most: int) -> list[str]:
    """Broken after so many full-width characters: between phrases, or between words where that takes too many lines."""
    words = _words(text)
    lines = _broken(_phrases(words, 2.0 * width), 2.0 * width)
    if len(lines) > most:
        lines = _broken(words, 2.0 * width)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1].rstrip()}…"]
    return [line.strip() for line in lines]


def _broken(words: list[str], width: float) -> list[str]:
    lines, room = [""], width
    for word in words:
        if _width(word.rstrip()) > room and lines[-1]:
            lines.append("")
            room = width
        for piece in [word] if _width(word.rstrip()) <= room else clusters(word):  # longer than a line: torn after all
            if _width(piece) > room and lines[-1]:
                lines.append("")
                room = width
            lines[-1] += piece
            room -= _width(piece)
    return lines


def _phrases(words: list[str], width: float) -> list[str]:
    """Japanese has no spaces: a phrase begins with a kanji, katakana or letters, and its hiragana follow. One that is
    longer than a line is left in its words."""
    phrases: list[list[str]] = []
    for word in words:
        if phrases and _continues(phrases[-1][-1], word):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    found: list[str] = []
    for one in phrases:
        found += ["".join(one)] if _width("".join(one)) <= width else one
    return found


def _continues(before: str, word: str) -> bool:
    if before[-1] == " " or before[-1] in CLOSING[: CLOSING.index("ー")]:
        return False
    return _is_hiragana(word[0]) or (_is_kanji(before[-1]) and _is_kanji(word[0]))


def _is_hiragana(character: str) -> bool:
    return "\u3041" <= character <= "\u309f"


def _is_kanji(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" or character == "々"


def _words(text: str) -> list[str]:
    """What stays together: letters of a word with the space after it, a run of katakana, and a mark with its kana."""
    words: list[str] = []
    for cluster in clusters(" ".join(text.split())):
        if words and _joins(words[-1][-1], cluster):
            words[-1] += cluster
        else:
            words.append(cluster)
    return words


def _joins(before: str, cluster: str) -> bool:
    if cluster[0] in CLOSING or cluster == " ":
        return True
    if before in OPENING:
        return True
    return _kind(before) == _kind(cluster[0]) != ""


def _kind(character: str) -> str:
    if character.isalnum() and not _is_wide(character):
        return "word"
    if character in "'’-_.":
        return "word"
    return "katakana" if "\u30a1" <= character <= "\u30fc" else ""


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WFA"


def _width(text: str) -> float:
    return sum(2.0 if _is_wide(cluster[0]) else 1.1 for cluster in clusters(text))
