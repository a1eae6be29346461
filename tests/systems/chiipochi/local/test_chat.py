"""What the chat simulator signs is what LINE would deliver."""

from __future__ import annotations

import pytest
from linebot.v3.webhook import WebhookParser
from linebot.v3.webhooks import FollowEvent, MessageEvent, PostbackEvent

from sekkei_systems.chiipochi.local.chat import Chat
from sekkei_systems.chiipochi.ports.line.port import local_secret
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
