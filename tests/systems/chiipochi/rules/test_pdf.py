"""One page of PDF: every object is where the table says, and the words are in it."""

from __future__ import annotations

import re
import zlib

import pytest

from sekkei_systems.chiipochi.rules.pdf import Sheet, width, wrapped


def _words(body: bytes) -> list[str]:
    stream = re.search(rb"stream\n(.*?)\nendstream", body, re.S)
    assert stream is not None
    return [
        bytes.fromhex(found.decode()).decode("utf-16-be")
        for found in re.findall(rb"<([0-9A-F]*)> Tj", zlib.decompress(stream[1]))
    ]


def test_objects_are_where_the_table_says() -> None:
    sheet = Sheet("受領書")
    sheet.text(10, 10, 12, "髙橋 𠮷野 様 ¥1,500")
    sheet.text(500, 30, 12, "a\tb\x00c", right=True)
    sheet.line(1, 2, 3)
    body = sheet.finished()
    assert body.startswith(b"%PDF-1.5\n")
    assert body.endswith(b"%%EOF\n")
    start = int(body.rsplit(b"startxref\n", 1)[1].split()[0])
    assert body[start:].startswith(b"xref\n")
    places = [int(found) for found in re.findall(rb"^(\d{10}) 00000 n ", body[start:], re.M)]
    for number, place in enumerate(places, 1):
        assert body[place:].startswith(b"%d 0 obj\n" % number)
    assert b"/Size %d" % (len(places) + 1) in body
    assert _words(body) == ["髙橋 𠮷野 様 ￥1,500", "a b c"]


@pytest.mark.parametrize("words", ["千葉県千葉市中央区市場町1-1 " * 9, "x" * 300, "", "a\nb"])
def test_lines_fit_and_nothing_is_lost(words: str) -> None:
    lines = wrapped(words, 11, 200)
    assert all(width(line, 11) <= 200 for line in lines)
    assert "".join(lines) == words.replace("\n", "")
