"""A receipt on paper says what it must, on one sheet."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, date, datetime

import pytest

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Receipt
from sekkei_systems.chiipochi.rules.receipts import LINES_MAX, Sheet, receipt_pdf, width, wrapped
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES

# One page of PDF: every object is where the table says, and the words are in it.


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


RECEIPT = Receipt(
    year=2025,
    number=12,
    user_id="U1",
    what="YEAR-2025",
    amount=47 * 500,
    lines=[{"to": code, "yen": 500, "count": 1} for code in PREFECTURES],
    paid_from=date(2025, 1, 3),
    paid_to=date(2025, 8, 20),
    sender={"organisation": "NPO法人ちい", "number": "1234567890123"},
    issued_at=datetime(2025, 12, 31, 16, tzinfo=UTC),
)


def test_it_says_who_gave_how_much_and_who_received_it() -> None:
    words = _words(receipt_pdf(RECEIPT, "青木 葵", "千葉市", "ja"))
    for word in (
        "番号 2025-000012",
        "発行日 2026-01-01",
        "青木 葵 様",
        "23,500円",
        "NPO法人ちい",
        "法人番号: 1234567890123",
    ):
        assert word in words, word
    assert "入金日 2025-01-03 – 2025-08-20" in words
    assert words.count("500円") == LINES_MAX
    assert f"その他 {47 - LINES_MAX} 件の寄付先" in words, "on one sheet, and nothing is left out"


def test_a_cancelled_one_says_so_and_a_sample_too() -> None:
    void = replace(RECEIPT, cancelled_at=RECEIPT.issued_at, replaced_by="2026-000001", sender={})
    words = _words(receipt_pdf(void, "", "", "en"))
    assert "This receipt has been cancelled and is not valid" in words
    assert "Replaced by number 2026-000001" in words
    assert any(word.startswith("Sample") for word in words)
