"""Titles do nothing but say their name."""

from __future__ import annotations

import re

import pytest

from sekkei_fakes.discord.limits import problems_of_message
from sekkei_systems.eventbot.rules import markdown
from sekkei_systems.eventbot.rules.markdown import CONTENT_MAX, MENTIONS_PER_MESSAGE, NOBODY, call_messages, escaped


def test_links_mentions_and_marks_become_plain() -> None:
    text = "[x](https://a.example) **b** <@1> @everyone `c` ||d|| # e :smile: - f"
    shown = escaped(text)
    assert re.sub(r"\\(.)", r"\1", shown) == text
    assert not re.search(r"(?<!\\)[\[\]()*`|<@:]", shown)
    assert escaped("もくもく会 1/19") == "もくもく会 1/19"


# Ringing people by name, within Discord's limits.


def test_everyone_is_rung_once_and_the_text_comes_first() -> None:
    people = [f"9{number:018d}" for number in range(2 * MENTIONS_PER_MESSAGE + 1)]
    calls = call_messages("本" * 3000, people, components=[])
    assert [len(call["allowed_mentions"]["users"]) for call in calls] == [80, 80, 1]
    assert [user for call in calls for user in call["allowed_mentions"]["users"]] == people
    assert [call["content"].startswith("本") for call in calls] == [True, False, False]
    assert ["components" in call for call in calls] == [False, False, True]
    assert all(problems_of_message(call) == [] and len(call["content"]) <= CONTENT_MAX for call in calls)


def test_with_nobody_to_ring_the_text_rings_nobody() -> None:
    assert call_messages("開始します @everyone", []) == [
        {"content": "開始します @everyone", "allowed_mentions": NOBODY}
    ]


# Which emoji Discord takes on a button.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("🛡️ Tank", ("🛡️", "Tank")),
        ("🛡Tank", ("🛡", "Tank")),
        ("🇯🇵 日本", ("🇯🇵", "日本")),
        ("👩‍💻 開発", ("👩‍💻", "開発")),
        ("👍🏽 よし", ("👍🏽", "よし")),
        ("1️⃣ 一番", ("1️⃣", "一番")),
        ("<:tank:123456789012345678> Tank", ("<:tank:123456789012345678>", "Tank")),
        ("★ 星", (None, "★ 星")),
        ("1 番", (None, "1 番")),
        ("初心者", (None, "初心者")),
    ],
)
def test_what_a_text_begins_with(text: str, found: tuple[str | None, str]) -> None:
    assert markdown.leading_emoji(text) == found
    if found[0] is not None:
        assert markdown.is_valid_emoji(markdown.emoji_on_button(found[0]))


def test_own_emoji_carry_their_id() -> None:
    assert markdown.emoji_on_button("<a:wave:123456789012345678>") == {
        "name": "wave",
        "id": "123456789012345678",
        "animated": True,
    }


@pytest.mark.parametrize("bad", [None, {}, {"name": "★"}, {"name": "Tank"}, {"name": "🛡️🛡️"}, {"name": "x", "id": "1"}])
def test_what_discord_refuses(bad: object) -> None:
    assert not markdown.is_valid_emoji(bad)
