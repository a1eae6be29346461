"""A receipt on paper; pure."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from sekkei_systems.chiipochi.design.models import Receipt
from sekkei_systems.chiipochi.rules.recipients import recipient_name
from sekkei_systems.chiipochi.texts import Language, say, yen
from sekkei_systems.days import day_of

# One page of PDF with Japanese text, without a font file: the reader's own gothic is named, as PDF allows for.
#
#     page = Sheet("寄付金受領書")
#     page.text(60, 780, 20, "寄付金受領書")
#     page.line(60, 770, 535)
#     page.finished()          # bytes
#
# Lengths are points from the lower left corner of an A4 sheet.


WIDTH, HEIGHT = 595, 842
_DIGIT = 614
_LATIN = (
    *(278, 299, 353, 614, 614, 721, 735, 216, 323, 323, 449, 529, 219, 306, 219, 453),
    *([_DIGIT] * 10),
    *(219, 219, 529, 529, 529, 486, 744),
    *(646, 604, 617, 681, 567, 537, 647, 738, 320, 433, 637, 566, 904),
    *(710, 716, 605, 716, 623, 517, 601, 690, 668, 990, 681, 634, 578),
    *(316, 614, 316, 529, 500, 387),
    *(509, 566, 478, 565, 503, 337, 549, 580, 275, 266, 544, 276, 854),
    *(579, 550, 578, 566, 410, 444, 340, 575, 512, 760, 503, 529, 453),
    *(326, 380, 326, 387),
)
"""Widths of the characters from the space to the tilde, in thousandths; everything else is a full square."""


def width(words: str, size: float) -> float:
    """Points that a text takes."""
    return sum(_LATIN[ord(one) - 32] if " " <= one <= "~" else 1000 for one in words) * size / 1000


def wrapped(words: str, size: float, most: float) -> list[str]:
    """A text in lines that fit; Japanese may be broken anywhere."""
    lines = [""]
    for one in words:
        if one == "\n" or width(lines[-1] + one, size) > most:
            lines.append("")
        lines[-1] += one if one != "\n" else ""
    return lines


class Sheet:
    def __init__(self, title: str) -> None:
        self._title = title
        self._drawn: list[str] = []

    def text(self, x: float, y: float, size: float, words: str, *, right: bool = False, grey: float = 0.0) -> None:
        """`right`: it ends at x instead of beginning there."""
        # Readers draw the narrow yen sign as a backslash, as the font that is named has it.
        clean = "".join(one if one.isprintable() else " " for one in words).replace("¥", "￥")
        start = x - width(clean, size) if right else x
        self._drawn.append(f"BT {grey:g} g /F1 {size:g} Tf {start:.2f} {y:.2f} Td <{_utf16(clean)}> Tj ET")

    def line(self, x: float, y: float, to: float, *, grey: float = 0.7) -> None:
        self._drawn.append(f"{grey:g} G 0.7 w {x:g} {y:g} m {to:g} {y:g} l S")

    def frame(self, x: float, y: float, wide: float, high: float) -> None:
        self._drawn.append(f"0.3 G 1 w {x:g} {y:g} {wide:g} {high:g} re S")

    def finished(self) -> bytes:
        content = zlib.compress("\n".join(self._drawn).encode())
        widths = " ".join(map(str, _LATIN))
        return _file(
            [
                b"<< /Type /Catalog /Pages 2 0 R /Lang (ja) >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents 4 0 R "
                "/Resources << /Font << /F1 5 0 R >> >> >>".encode(),
                b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content),
                b"<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiKakuGo-W5-UniJIS-UTF16-H /Encoding /UniJIS-UTF16-H "
                b"/DescendantFonts [6 0 R] >>",
                "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiKakuGo-W5 /CIDSystemInfo << /Registry (Adobe) "
                f"/Ordering (Japan1) /Supplement 4 >> /FontDescriptor 7 0 R /DW 1000 /W [1 [{widths}]] >>".encode(),
                b"<< /Type /FontDescriptor /FontName /HeiseiKakuGo-W5 /Flags 4 /FontBBox [-92 -250 1010 922] "
                b"/ItalicAngle 0 /Ascent 752 /Descent -221 /CapHeight 737 /StemV 114 >>",
                f"<< /Title <FEFF{_utf16(self._title)}> /Producer (Sekkei) >>".encode(),
            ]
        )


def _utf16(words: str) -> str:
    return words.encode("utf-16-be").hex().upper()


def _file(objects: Sequence[bytes]) -> bytes:
    """Numbered from 1, the first the catalogue and the last the information about it; then where each begins."""
    found = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(found))
        found += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = len(found)
    found += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    found += b"".join(b"%010d 00000 n \n" % place for place in places)
    found += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    found += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(found)


LEFT, RIGHT = 60, WIDTH - 60
LINES_MAX = 18
"""Of what it is made of; the rest is one line."""
SENDER = ("representative", "address", "phone", "email", "number", "registration")


def receipt_pdf(receipt: Receipt, name: str, address: str, language: Language) -> bytes:
    sheet = Sheet(f"{say(language, 'receipt.title')} {receipt.code}")
    sheet.text(LEFT, HEIGHT - 90, 22, say(language, "receipt.title"))
    sheet.text(RIGHT, HEIGHT - 70, 10, f"{say(language, 'receipt.number')} {receipt.code}", right=True)
    issued = f"{say(language, 'receipt.issued')} {day_of(receipt.issued_at)}"
    sheet.text(RIGHT, HEIGHT - 86, 10, issued, right=True)
    at = _to(sheet, name, address, language)
    sheet.frame(LEFT, at - 62, RIGHT - LEFT, 50)
    sheet.text(LEFT + 16, at - 44, 20, yen(receipt.amount, language))
    between = (
        f"{receipt.paid_from}" if receipt.paid_from == receipt.paid_to else f"{receipt.paid_from} – {receipt.paid_to}"
    )
    sheet.text(RIGHT - 16, at - 42, 11, f"{say(language, 'receipt.paid-on')} {between}", right=True)
    at = _paragraph(sheet, say(language, "receipt.received"), at - 92)
    at = _lines(sheet, receipt, at - 12, language)
    _sender(sheet, receipt, at - 24, language)
    if receipt.cancelled_at is not None:
        _void(sheet, receipt, language)
    return sheet.finished()


def _to(sheet: Sheet, name: str, address: str, language: Language) -> float:
    at = HEIGHT - 140.0
    for line in wrapped(address, 11, 300):
        sheet.text(LEFT, at, 11, line)
        at -= 16
    sheet.text(LEFT, at - 6, 16, say(language, "receipt.to", name=name))
    return at - 20


def _paragraph(sheet: Sheet, words: str, at: float) -> float:
    for line in wrapped(words, 11, RIGHT - LEFT):
        sheet.text(LEFT, at, 11, line)
        at -= 17
    return at


def _lines(sheet: Sheet, receipt: Receipt, at: float, language: Language) -> float:
    shown = receipt.lines[:LINES_MAX]
    rest = receipt.lines[LINES_MAX:]
    rows = [(_name(line, language), line["count"], line["yen"]) for line in shown]
    if rest:
        others = say(language, "receipt.others", n=len(rest))
        rows.append((others, sum(line["count"] for line in rest), sum(line["yen"] for line in rest)))
    for name, count, amount in rows:
        sheet.line(LEFT, at - 5, RIGHT)
        sheet.text(LEFT + 4, at, 10, name)
        sheet.text(RIGHT - 120, at, 10, say(language, "dashboard.times", n=count), right=True)
        sheet.text(RIGHT - 4, at, 10, yen(amount, language), right=True)
        at -= 18
    return at


def _name(line: Mapping[str, Any], language: Language) -> str:
    return str(line.get(language) or line.get("ja") or recipient_name(str(line["to"]), language))


def _sender(sheet: Sheet, receipt: Receipt, at: float, language: Language) -> None:
    name = receipt.sender.get("organisation") or say(language, "receipt.sample")
    sheet.text(LEFT + 180, at, 13, name)
    for fact in SENDER:
        if receipt.sender.get(fact):
            at -= 16
            for line in wrapped(f"{say.choice(language, 'organisation', fact)}: {receipt.sender[fact]}", 10, 290):
                sheet.text(LEFT + 180, at, 10, line)
                at -= 13
            at += 13


def _void(sheet: Sheet, receipt: Receipt, language: Language) -> None:
    sheet.frame(LEFT, 70, RIGHT - LEFT, 44)
    sheet.text(LEFT + 14, 94, 13, say(language, "receipt.void"))
    if receipt.replaced_by:
        sheet.text(LEFT + 14, 78, 10, say(language, "receipt.replaced", number=receipt.replaced_by))
