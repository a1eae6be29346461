"""/metrics: for whoever has the token, and for operators."""

from __future__ import annotations

import re

import pytest

from sekkei.runtime.settings import Secrets, from_environment
from sekkei.web.testing import opened, test_settings
from tests.web.example import SYSTEM

TOKEN = "a token that is long enough"
LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


async def test_what_prometheus_reads() -> None:
    settings = test_settings(demo=False, values={"metrics_token": TOKEN})
    async with opened(SYSTEM, settings=settings) as client:
        await client.shell.outbox.put("mail", "a@example.com", {"text": "x"}, id="1")
        await client.work()
        await client.shell.outbox.put("mail", "a@example.com", {"text": "x"}, id="2")
        await client.shell.deployment.worker.alarms.ring('outbox/"odd"\n', "x")
        client.bearer = TOKEN
        reply = await client.get("/metrics")
    assert reply.status == 200
    assert reply.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
    lines = reply.text.splitlines()
    assert reply.text.endswith("\n")
    samples = [line for line in lines if not line.startswith("#")]
    assert [line for line in samples if not LINE.fullmatch(line.replace('\\"', "'"))] == []
    assert 'sekkei_outbox_messages_total{kind="mail",outcome="sent"} 1' in samples
    assert 'sekkei_alarm{alarm="outbox/\\"odd\\"\\n"} 1' in samples
    assert 'sekkei_dead_letters{kind="message"} 0' in samples
    assert any(line.startswith('sekkei_store_calls_total{operation="PutItem"} ') for line in samples)
    assert any(line.startswith('sekkei_late_seconds{what="messages"} ') for line in samples)
    for line in samples:
        name = line.partition("{")[0].partition(" ")[0]
        assert any(other.startswith(f"# TYPE {name} ") for other in lines), name
    assert "a@example.com" not in reply.text


@pytest.mark.parametrize("bearer", [None, "wrong", "sekkei_x.yyyyyyyyyyyyyyyyyyyyyyyy", ""])
async def test_nobody_else_sees_it(bearer: str | None) -> None:
    for values in ({"metrics_token": TOKEN}, {}):
        async with opened(SYSTEM, settings=test_settings(demo=False, values=values)) as client:
            client.bearer = bearer
            reply = await client.get("/metrics")
            assert (reply.status, reply.header("www-authenticate")) == (401, 'Bearer realm="metrics"')
            assert "sekkei_" not in reply.text


def test_a_short_token_does_not_start() -> None:
    with pytest.raises(ValueError, match="SEKKEI_METRICS_TOKEN is too short"):
        from_environment({"SEKKEI_METRICS_TOKEN": "short"}, secrets=Secrets(b"x" * 16))
    assert from_environment({"SEKKEI_METRICS_TOKEN": TOKEN}, secrets=Secrets(b"x" * 16)).get("metrics_token") == TOKEN
