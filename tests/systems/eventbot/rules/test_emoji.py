"""Which emoji Discord takes on a button."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.rules import emoji


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
    assert emoji.leading(text) == found
    if found[0] is not None:
        assert emoji.is_valid(emoji.on_button(found[0]))


def test_own_emoji_carry_their_id() -> None:
    assert emoji.on_button("<a:wave:123456789012345678>") == {
        "name": "wave",
        "id": "123456789012345678",
        "animated": True,
    }


@pytest.mark.parametrize("bad", [None, {}, {"name": "★"}, {"name": "Tank"}, {"name": "🛡️🛡️"}, {"name": "x", "id": "1"}])
def test_what_discord_refuses(bad: object) -> None:
    assert not emoji.is_valid(bad)
