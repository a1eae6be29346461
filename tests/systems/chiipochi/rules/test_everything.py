"""Everything the bot can say, in both languages, stays within LINE's limits, and LINE's own SDK reads it."""

from __future__ import annotations

from datetime import UTC, datetime

import linebot.v3.messaging as sdk
import orjson
import pytest

from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import Ask, Browse, Incoming, Speak, Tell, decide
from sekkei_systems.chiipochi.rules.everything import WHOLE, everything
from sekkei_systems.chiipochi.rules.message_limits import check
from sekkei_systems.chiipochi.rules.rich_menu import rich_menu
from sekkei_systems.chiipochi.texts import LANGUAGES, Language, say
from tests.systems.chiipochi.sdk import same

NOW = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_the_bot_says_is_within_the_limits(language: Language) -> None:
    for found in everything(language):
        check(found)
        assert messages.opened(messages.body(messages.letter(found), "answer")) == found


def test_every_answer_without_places_is_among_the_examples() -> None:
    parts = {"yes", "no", "choose", "ranking", "share", "history"}  # said by functions of their own
    answers = {key for key, said in say.section("ja", "bot").items() if "." not in key and "{" not in said}
    assert answers - parts <= set(WHOLE)


def test_english_is_english() -> None:
    japanese = {letter for found in everything("ja") for letter in orjson.dumps(found).decode()}
    assert {"寄", "県"} <= japanese
    for found in everything("en"):
        words = orjson.dumps(found).decode().replace("日本語は「日本語」と送ってください", "").replace("日本語", "")
        assert not [letter for letter in words if "ぁ" <= letter <= "ヶ" or "一" <= letter <= "龠"], words


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_can_be_tapped_is_understood(language: Language) -> None:
    """Every quick reply that sends a text, and every area of the menu, leads somewhere."""
    texts = [
        item["action"]["text"]
        for found in everything(language)
        for message in found
        for item in message.get("quickReply", {}).get("items", [])
        if item["action"]["type"] == "message"
    ]
    texts += [area["action"]["text"] for area in rich_menu(language)["areas"]]
    answers = {"はい", "いいえ", "Yes", "No"}
    for text in set(texts) - answers:
        decision = decide(Incoming("e", "U1", 1, "text", text=text), None, NOW)
        assert isinstance(decision, Ask | Browse | Tell | Speak), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_own_sdk_reads_what_we_send(language: Language) -> None:
    for found in everything(language):
        for request in (
            sdk.PushMessageRequest.from_dict({"to": "U1", "messages": found}),
            sdk.ReplyMessageRequest.from_dict({"replyToken": "r", "messages": found}),
            sdk.ValidateMessageRequest.from_dict({"messages": found}),
        ):
            assert request is not None
            same(found, request.to_dict()["messages"])
