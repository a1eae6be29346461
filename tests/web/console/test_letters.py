"""Messages as they look where they arrive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.kit.zones import zone_of
from sekkei.runtime.days import now
from sekkei.runtime.design import Message, State, messages
from sekkei.web.console.letters import cards_of
from sekkei.web.testing import opened
from sekkei.web.texts import Speech, speech
from tests.web.example import SYSTEM

FLEX = {
    "type": "flex",
    "altText": "card",
    "contents": {
        "type": "bubble",
        "body": {
            "type": "box",
            "contents": [
                {"type": "text", "text": "ちいさな寄付", "weight": "bold"},
                {"type": "box", "contents": [{"type": "text", "text": "<b>100円</b>", "size": "sm"}]},
                {"type": "image", "url": "https://example.com/cat.png"},
            ],
        },
        "footer": {
            "type": "box",
            "contents": [
                {
                    "type": "button",
                    "style": "primary",
                    "action": {"type": "uri", "label": "払う", "uri": "https://x.example"},
                },
                {"type": "button", "action": {"type": "uri", "label": "だめ", "uri": "javascript:alert(1)"}},
            ],
        },
    },
    "quickReply": {"items": [{"action": {"type": "message", "label": "もっと", "text": "more"}}]},
}
POST = {
    "content": "<@123> <t:1700000000:F> に集まろう",
    "embeds": [
        {
            "title": "飲み会",
            "description": "駅前",
            "color": 0x3BA55D,
            "fields": [{"name": "参加", "value": "3人"}],
            "footer": {"text": "締切"},
        }
    ],
    "components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "参加する", "custom_id": "x"}]}],
}


@pytest.fixture(autouse=True)
def japan() -> Iterator[None]:
    token = speech.set(Speech("ja", zone=zone_of("Asia/Tokyo")))
    yield
    speech.reset(token)


def test_a_card_of_line() -> None:
    card, quick = cards_of("line", {"messages": orjson.dumps([FLEX]).decode()})
    assert [line.text for line in card.lines] == ["ちいさな寄付", "<b>100円</b>", "[image] https://example.com/cat.png"]
    assert [(line.strong, line.quiet) for line in card.lines[:2]] == [(True, False), (False, True)]
    assert [(one.label, one.url) for one in card.buttons] == [("払う", "https://x.example"), ("だめ", "")]
    assert [one.label for one in quick.buttons] == ["もっと"]
    carousel = {"type": "flex", "contents": {"type": "carousel", "contents": [FLEX["contents"]] * 3}}
    assert len(cards_of("line", {"messages": [carousel, {"type": "text", "text": "hi"}]})) == 4


@pytest.mark.parametrize("body", [POST, {"calls": [POST]}, {"guild_id": "1", "message": POST}])
def test_a_post_of_discord_wherever_a_body_has_it(body: dict[str, Any]) -> None:
    said, embed, buttons = cards_of("discord", body)
    assert said.lines[0].text == "@123 2023-11-15 07:13 に集まろう"
    assert [line.text for line in embed.lines] == ["飲み会", "駅前", "参加", "3人", "締切"]
    assert embed.colour == "#3ba55d"
    assert [(one.label, one.style) for one in buttons.buttons] == [("参加する", "primary")]


def test_a_notification_and_a_mail() -> None:
    (card,) = cards_of("push", {"title": "Q.", "body": "今日の質問", "data": {}})
    assert [line.text for line in card.lines] == ["Q.", "今日の質問"]
    assert cards_of("mail", {"subject": "s", "text": "t", "html": "<p>t</p>"}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "contents", "messages", "embeds", "content", "fields", "components", "text", "color"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(
    st.sampled_from(["line", "discord", "push", "mail"]), st.dictionaries(st.text(max_size=8), JSON, max_size=4), JSON
)
def test_whatever_a_body_is_the_page_shows_it(kind: str, body: dict[str, Any], further: Any) -> None:
    cards_of(kind, {**body, "messages": further, "embeds": further})
    cards_of(kind, {**body, "message": further})


async def test_the_page_shows_it_and_runs_nothing_of_it() -> None:
    async with opened(SYSTEM) as client:
        runtime = client.shell.deployment.runtime
        at = now(client.shell.clock)
        body = {"messages": orjson.dumps([FLEX]).decode()}
        made = Message(
            id="chiipochi/1",
            system="chiipochi",
            kind="line",
            to="U1",
            body=body,
            created_at=at,
            listed_at=at,
            state=State.SENT,
            attempts=1,
        )
        await runtime.write(messages.create(made))
        text = (await client.get("/console/outbox/message?id=chiipochi%2F1")).text
        assert "&lt;b&gt;100円&lt;/b&gt;" in text
        assert 'class="seen-button primary" href="https://x.example"' in text
        assert "javascript:" not in text.partition("<details")[0]
        assert "<img" not in text
