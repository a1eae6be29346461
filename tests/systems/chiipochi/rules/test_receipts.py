"""A receipt on paper says what it must, on one sheet."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models_books import Receipt
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.rules.receipts import LINES_MAX, receipt_pdf
from tests.systems.chiipochi.rules.test_pdf import _words

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
