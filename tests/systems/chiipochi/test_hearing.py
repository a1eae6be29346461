"""The judge of sentences finds what is false: each of these would be a lie."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from sekkei.clock import ManualClock
from sekkei_fakes.line import LineCounterpart, Sent
from sekkei_fakes.stripe import Ledger
from sekkei_fakes.stripe.requests import Requests
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from tests.systems.chiipochi.conftest import AOI
from tests.systems.chiipochi.hearing import Checkout, Hearing
from tests.systems.chiipochi.local.test_stripe import GOOD

CHIBA, LINK = PREFECTURES["CHIBA"], "https://example.com/u/1"


@pytest.fixture
def hearing(clock: ManualClock) -> Hearing:
    """Somebody who has asked for 500 yen to Chiba and is at the checkout."""
    found = Hearing(LineCounterpart(clock), Ledger(clock))
    found.asked[AOI] = ("CHIBA", 500)
    session, _ = Requests(found.ledger).post("/v1/checkout/sessions", urlencode(GOOD).encode(), None)
    found.made(Checkout(AOI, "CHIBA", 500, found.ledger.sessions[session["id"]]))
    return found


def _said(hearing: Hearing, said: list[dict[str, Any]]) -> None:
    at = hearing.ledger.clock.now()
    hearing.line.sent.append(Sent(at, AOI, said, "push", "request"))
    hearing.listen()


def _false(hearing: Hearing, said: list[dict[str, Any]]) -> None:
    with pytest.raises(AssertionError):
        _said(hearing, said)


THANKS = messages.thanks(CHIBA, 500, {"CHIBA": 1}, LINK, "ja")


def test_thanks_are_for_money_that_came_and_only_once(hearing: Hearing) -> None:
    _false(hearing, THANKS)
    hearing.told.clear()
    hearing.ledger.pay_by_card(hearing.checkouts[0].session)
    _said(hearing, THANKS)
    _false(hearing, THANKS)


def test_who_paid_is_not_told_otherwise(hearing: Hearing) -> None:
    hearing.ledger.pay_by_card(hearing.checkouts[0].session)
    _false(hearing, messages.fixed("failed", "en"))


def test_only_a_refund_that_failed_came_back(hearing: Hearing) -> None:
    back = messages.of_money("refund-back", CHIBA, 200, "ja")
    refund = hearing.ledger.refund(hearing.ledger.pay_by_card(hearing.checkouts[0].session), 200)
    _false(hearing, back)
    hearing.told.clear()
    hearing.ledger.fail_refund(refund)
    _said(hearing, back)
    _false(hearing, back)


def test_a_checkout_that_can_be_paid_has_not_failed(hearing: Hearing) -> None:
    _false(hearing, messages.fixed("failed", "ja"))
    hearing.told.clear()
    hearing.ledger.expire(hearing.checkouts[0].session)
    _said(hearing, messages.fixed("failed", "ja"))


def test_a_refund_is_no_larger_than_it_was(hearing: Hearing) -> None:
    hearing.ledger.refund(hearing.ledger.pay_by_card(hearing.checkouts[0].session), 50)
    _said(hearing, messages.of_money("refunded", CHIBA, 50, "en"))
    _false(hearing, messages.of_money("refunded", CHIBA, 50, "en"))


def test_the_question_is_about_what_was_asked_for(hearing: Hearing) -> None:
    _said(hearing, messages.confirm(CHIBA, 500, "n", "ja"))
    _false(hearing, messages.confirm(CHIBA, 100, "n", "ja"))
    _false(hearing, messages.pay(PREFECTURES["MIE"], 500, LINK, "ja"))


def test_what_is_looked_up_equals_the_ledger(hearing: Hearing) -> None:
    hearing.ledger.pay_by_card(hearing.checkouts[0].session)
    hearing.exact = True
    _said(hearing, messages.my_today(500, 1, 0, "ja"))
    _said(hearing, messages.year(2025, 500, 1, 1, LINK, "en"))
    _false(hearing, messages.my_today(0, 0, 0, "ja"))
    _false(hearing, messages.year(2025, 1_000, 2, 1, LINK, "en"))
    _false(hearing, messages.ranking([("CHIBA", 400)], LINK, "ja"))


def test_a_sentence_that_nobody_judges_is_a_failure(hearing: Hearing) -> None:
    _false(hearing, [messages.text("千葉県から500円を預かりました。")])
