"""What the chat simulator signs is what LINE would deliver."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from linebot.v3.webhook import WebhookParser
from linebot.v3.webhooks import FollowEvent, MessageEvent, PostbackEvent

from sekkei_systems.chiipochi.design.models import ChatMessage
from sekkei_systems.chiipochi.local import Chat, view
from sekkei_systems.chiipochi.ports.line import local_secret
from tests.systems.chiipochi.conftest import AOI, Bot


@pytest.mark.parametrize(
    ("text", "data", "kind"),
    [("ピーナッツ", None, MessageEvent), (None, "v=1&a=browse", PostbackEvent), (None, None, FollowEvent)],
)
async def test_lines_own_sdk_takes_it_for_an_event_of_line(
    quick_bot: Bot, text: str | None, data: str | None, kind: type
) -> None:
    opened = quick_bot.client.shell.deployment.systems["chiipochi"]
    made = await Chat(opened.context).signed_event(AOI, text, data, None)
    secret = local_secret(quick_bot.client.shell.settings).decode()
    (event,) = WebhookParser(secret).parse(made["body"], made["signature"])
    assert isinstance(event, kind)
    assert event.source.user_id == AOI


# What people write, as the simulator shows it: links where there are addresses, and nothing else.


HERE = "http://127.0.0.1:8000"


NOW = datetime(2025, 8, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HERE}/chiipochi/", '<a href="/chiipochi/">127.0.0.1:8000/chiipochi/</a>'),
        ("https://example.com/?a=1&b=2", '<a href="https://example.com/?a=1&amp;b=2">example.com/?a=1&amp;b=2</a>'),
        (f"{HERE}javascript:alert(1)", '<a href="/">127.0.0.1:8000javascript:alert(1)</a>'),
        ("<b>\nx", "&lt;b&gt;<br>x"),
    ],
)
def test_a_text_with_addresses(text: str, expected: str) -> None:
    message = {"type": "text", "text": text}
    entry = ChatMessage(user_id="U1", at=NOW, message_id="1", sender="user", messages=[message], expires_at=NOW)
    (row,) = view([entry], HERE)
    assert row.text == expected
