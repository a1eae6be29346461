"""Cards."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.everything import URL
from sekkei_systems.chiipochi.rules.message_limits import Unsendable
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.texts import LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_that_are_filled_in_are_the_cards(language: Language) -> None:
    chiba = PREFECTURES["CHIBA"]
    assert messages.confirm_letter(chiba, 300, "0123456789abcdef", language) == messages.letter(
        messages.confirm(chiba, 300, "0123456789abcdef", language)
    )
    assert messages.pay_letter(chiba, 300, URL, language) == messages.letter(messages.pay(chiba, 300, URL, language))
    card = {"CHIBA": 5, "OSAKA": 1}
    assert messages.thanks_letter(chiba, 300, card, URL, language) == messages.letter(
        messages.thanks(chiba, 300, card, URL, language)
    )
    for wrong in ("javascript:alert(1)", "https://x/" + "y" * 1_000):
        with pytest.raises(Unsendable):
            messages.pay_letter(chiba, 300, wrong, language)
        with pytest.raises(Unsendable):
            messages.thanks_letter(chiba, 300, card, wrong, language)


def test_praise_for_those_who_have_come_far() -> None:
    def praised(card: dict[str, int]) -> str:
        (found,) = messages.thanks(PREFECTURES["CHIBA"], 100, card, URL, "ja")
        return str(found["contents"]["body"]["contents"][-1]["text"])

    others = [code for code in PREFECTURES if code != "CHIBA"]
    assert "47都道府県を制覇" in praised({**dict.fromkeys(others, 1), "CHIBA": 1})
    assert "10都道府県" in praised({**dict.fromkeys(others[:9], 1), "CHIBA": 1})
    assert "25回目" in praised({"CHIBA": 25})
    assert "集めた" in praised({"CHIBA": 2})


def test_the_confirm_card_carries_its_nonce_and_works_as_text_too() -> None:
    (card,) = messages.confirm(PREFECTURES["CHIBA"], 300, "abc", "ja")
    buttons = card["contents"]["footer"]["contents"]
    assert [button["action"]["data"] for button in buttons] == ["v=1&a=yes&n=abc", "v=1&a=no&n=abc"]
    assert [button["action"]["displayText"] for button in buttons] == ["はい", "いいえ"]
    assert "「はい」" in card["altText"]


@pytest.mark.parametrize(
    ("refunded", "language", "said"),
    [
        (0, "ja", "✅ 08/20 千葉県 1,500円"),
        (200, "ja", "✅ 08/20 千葉県 1,500円（うち200円は返金済み）"),
        (200, "en", "✅ 08/20 Chiba ¥1,500 (¥200 of it refunded)"),
        (1_500, "ja", "↩ 08/20 千葉県 1,500円"),
    ],
)
def test_the_history_says_what_went_back(refunded: int, language: Language, said: str) -> None:
    made = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)
    given = Donation(user_id="U1", created_at=made, amount=1_500, prefecture="CHIBA", status=Status.SUCCEEDED)
    (message,) = messages.history([replace(given, refunded_amount=refunded or None)], "https://x", language)
    assert message["text"].splitlines()[1] == said
