"""A receipt on paper; pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekkei_systems.chiipochi.design.models_books import Receipt
from sekkei_systems.chiipochi.rules.pdf import HEIGHT, WIDTH, Sheet, wrapped
from sekkei_systems.chiipochi.rules.recipients import recipient_name
from sekkei_systems.chiipochi.texts import Language, say, yen
from sekkei_systems.days import day_of

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
