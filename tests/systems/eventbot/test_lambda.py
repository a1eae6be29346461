"""The bot as a Lambda function."""

from __future__ import annotations

import asyncio
from datetime import datetime

import orjson
import pytest

from sekkei import logs
from sekkei_systems.days import JST
from sekkei_systems.eventbot.ports.discord.signature import Signer


def test_the_bot_as_a_lambda_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord's PING through a function URL, and a minute's tick, on a store of its own."""
    signer = Signer(b"0" * 32)
    monkeypatch.setenv("SEKKEI_SYSTEMS", "eventbot")
    monkeypatch.setenv("SEKKEI_STORE", ":memory:")
    monkeypatch.setenv("SEKKEI_SECRET", "long enough to be one")
    monkeypatch.setenv("SEKKEI_PUBLIC_URL", "https://bot.example.com")
    monkeypatch.setenv("SEKKEI_ALLOW_LOCAL", "mail")  # organisers come by links of Discord here
    monkeypatch.setenv("SEKKEI_DISCORD_BOT_TOKEN", "secret")
    monkeypatch.setenv("SEKKEI_DISCORD_APPLICATION_ID", "42")
    monkeypatch.setenv("SEKKEI_DISCORD_PUBLIC_KEY", signer.public_key)
    from sekkei.runtime.aws.functions import _loop
    from sekkei.web import on_lambda

    monkeypatch.setattr(logs, "configure", lambda *given: None)
    on_lambda.functions.cache_clear()
    deployment = on_lambda.functions().deployment
    _loop().run_until_complete(deployment.make_tables())
    body = orjson.dumps({"type": 1})
    event = {
        "version": "2.0",
        "rawPath": "/eventbot/interactions",
        "headers": {"host": "bot.example.com", **signer.headers(body, datetime.now(JST).timestamp())},
        "requestContext": {"http": {"method": "POST", "sourceIp": "203.0.113.7"}},
        "body": body.decode(),
    }
    event["headers"]["content-length"] = str(len(body))
    answer = on_lambda.http(event, None)
    assert answer["statusCode"] == 200
    event["headers"]["x-signature-ed25519"] = "0" * 128
    assert on_lambda.http(event, None)["statusCode"] == 401
    assert on_lambda.http({**event, "rawPath": "/eventbot/simulator"}, None)["statusCode"] == 404
    on_lambda.work({}, None)
    _loop().run_until_complete(deployment.store.close())
    on_lambda.functions.cache_clear()
    asyncio.set_event_loop(None)
    _loop.cache_clear()
