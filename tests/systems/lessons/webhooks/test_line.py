from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.errors import NoAnswer
from sekkei.runtime.design import newest_messages
from sekkei.runtime.http import Http
from sekkei.runtime.transports import configured
from sekkei.web.testing import Reply, opened, test_settings
from sekkei_fakes import served
from sekkei_fakes.line import LineCounterpart
from sekkei_systems.lessons.system import SYSTEM
from sekkei_systems.lessons.webhooks.line import channel_secrets


def test_a_channel_that_hears_and_cannot_speak_is_half_set_up() -> None:
    with pytest.raises(ValueError, match="SEKKEI_LINE_CHANNEL_TOKEN"):
        channel_secrets(test_settings(values={"line_channel_secret": "s3cret"}))


async def test_lines_own_webhook(clock: ManualClock) -> None:
    values = {"line_channel_secret": "s3cret", "line_channel_secret_previous": "before", "line_channel_token": "t0ken"}
    settings = test_settings(values=values)
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        await client.sign_in("demo-mei")
        page = await client.post("/lessons/settings/line")
        found = re.search(r"トークで (\d{8}) を", page.text)
        assert found is not None

        async def sent(events: Any, key: bytes = b"s3cret") -> Reply:
            body = orjson.dumps({"events": events})
            given = base64.b64encode(hmac.digest(key, body, hashlib.sha256)).decode()
            headers = {"X-Line-Signature": given, "Content-Type": "application/json"}
            return await client.another().request("POST", "/lessons/line", body, headers)

        source = {"type": "user", "userId": "U123"}
        event = {"type": "message", "webhookEventId": "e1", "source": source, "message": {"type": "text"}}
        typed = {**event, "message": {"type": "text", "text": found[1]}}
        assert (await sent([typed], b"forged")).status == 401
        assert (await sent([], b"before")).status == 200, "while the secret is changed, both are taken"
        assert "連携しています" not in (await client.get("/lessons/settings")).text
        for harmless in ([], [{}], ["x"], [event], [{**typed, "source": {"type": "group", "groupId": "G"}}]):
            assert (await sent(harmless)).status == 200
        assert (await sent("x" * 3)).status == 200
        assert (await sent(None)).status == 422
        assert (await sent([typed])).status == 200
        assert "連携しています" in (await client.get("/lessons/settings")).text
        (message,) = await client.shell.deployment.runtime.all(newest_messages())
        assert (message.kind, message.to) == ("line", "U123")


AOI = "U" + "a" * 32


async def test_whoever_links_their_chat_hears_of_it_once_at_a_strict_line(clock: ManualClock) -> None:
    """LINE's counterpart takes what the studio says by the real way out, and once, also where its answer is lost."""
    line, http = LineCounterpart(clock, "t0ken", secret="s3cret"), Http()
    line.befriend(AOI)
    async with served.serve(line) as end:
        values = {"line_channel_secret": "s3cret", "line_channel_token": "t0ken", "line_api_url": end.url}
        settings = test_settings(values=values)
        async with opened(SYSTEM, clock=clock, settings=settings) as client:
            await client.sign_in("demo-mei")
            code = re.search(r"トークで (\d{8}) を", (await client.post("/lessons/settings/line")).text)
            assert code is not None
            body, headers = line.webhook([line.text(AOI, code[1])], "s3cret")
            assert (await client.another().request("POST", "/lessons/line", body, headers)).status == 200
            (message,) = await client.shell.deployment.runtime.all(newest_messages())
        way_out = configured(settings, clock, http)["line"]
        end.faults.lose_answers = 1
        with pytest.raises(NoAnswer):
            await way_out.send(message)
        receipt = await way_out.send(message)
    (sent,) = line.received(AOI)
    assert receipt == sent.request_id
    assert "受け取れるようになりました" in sent.messages[0]["text"]
    assert (line.used, end.requests) == (1, [("POST", "/v2/bot/message/push")] * 2)
    http.close()
