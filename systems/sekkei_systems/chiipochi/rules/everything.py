"""One of everything that the bot can say, the longest that can happen: to be checked by tests and by LINE itself."""

from __future__ import annotations

from datetime import UTC, datetime

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.message_limits import Message
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.rules.regions import REGIONS
from sekkei_systems.chiipochi.texts import Language

URL = "https://example.com/chiipochi/u/" + "x" * 200
LONGEST = max(PREFECTURES.values(), key=lambda found: len(found.en))
WHOLE = (
    "nothing-pending",
    "expired",
    "old-card",
    "out-of-range",
    "unknown",
    "one-to-one",
    "too-old",
    "pledge-how",
    "appeal-once",
    "cancelled",
    "welcome",
    "welcome-back",
    "help",
    "language",
    "pledge-stopped",
    "no-pledge",
    "failed",
)
OF_MONEY = ("refunded", "refund-back", "paid-late", "paid-twice")


def everything(language: Language) -> list[list[Message]]:
    card = dict.fromkeys(PREFECTURES, 99)
    return [
        *(messages.fixed(what, language) for what in WHOLE),
        *(messages.confirm(found, 50_000, "f" * 16, language) for found in PREFECTURES.values()),
        messages.choose(PREFECTURES.values(), 50_000, language),
        messages.confirm_pledge(LONGEST, 50_000, 28, "f" * 16, language),
        messages.regions(language),
        *(messages.prefectures_of(region, language) for region in REGIONS),
        *(messages.specialities(found, language) for found in PREFECTURES.values()),
        messages.pay(LONGEST, 50_000, URL, language),
        *(messages.thanks(LONGEST, 50_000, some, URL, language) for some in (card, {**card, LONGEST.code: 1})),
        messages.thanks(LONGEST, 100, {LONGEST.code: 5}, URL, language),
        *(messages.of_money(news, LONGEST, 50_000, language) for news in OF_MONEY),
        messages.my_today(10**9, 10**6, 10**9, language),
        messages.everyone_today(10**12, 10**9, language),
        messages.ranking([(code, 10**9) for code in PREFECTURES], URL, language),
        messages.ranking([], URL, language),
        messages.history([_donation(status, refunded=20_000) for status in Status], URL, language),
        messages.history([], URL, language),
        messages.stamp_card(card, URL, language),
        messages.stamp_card({}, URL, language),
        messages.year(2025, 10**9, 10**6, 47, URL, language),
        messages.receipts(URL, language),
        messages.share(URL, URL, language),
        messages.pledged(LONGEST, 50_000, 28, language),
        messages.pledge_over(LONGEST, language),
    ]


def _donation(status: Status, refunded: int) -> Donation:
    made = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)
    given = Donation(user_id="U1", created_at=made, amount=50_000, prefecture=LONGEST.code, status=status)
    return replace(given, refunded_amount=refunded)
