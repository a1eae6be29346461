"""Which ends the bot is connected to."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sekkei.runtime.aws.eventbridge import EventBridgeSchedules
from sekkei_systems.eventbot.ports.gateway import connect, schedules_of
from tests.systems.eventbot.conftest import Bot


async def test_reminders_go_to_eventbridge_where_it_is_set_up(quick: Bot) -> None:
    context = quick.client.shell.deployment.systems["eventbot"].context
    assert schedules_of(context) is context.schedules
    values = {"schedule_target": "arn:aws:lambda:x:1:function:bot", "schedule_role": "arn:aws:iam::1:role/r"}
    settings = replace(context.settings, values=values)
    assert isinstance(schedules_of(replace(context, settings=settings)), EventBridgeSchedules)
    for name, value in values.items():
        half = replace(context.settings, values={name: value})
        with pytest.raises(ValueError, match="SEKKEI_SCHEDULE_TARGET and SEKKEI_SCHEDULE_ROLE"):
            schedules_of(replace(context, settings=half))


ALL = {
    "discord_application_id": "42",
    "discord_public_key": "0" * 64,
    "discord_bot_token": "secret",
}


@pytest.mark.parametrize("missing", sorted(ALL))
async def test_half_set_up_refuses_to_start_and_says_what_is_missing(quick: Bot, missing: str) -> None:
    context = quick.client.shell.deployment.systems["eventbot"].context
    values = {name: value for name, value in ALL.items() if name != missing}
    settings = replace(context.settings, values=values)
    with pytest.raises(ValueError, match=f"SEKKEI_{missing.upper()}"):
        connect(replace(context, settings=settings))
    alone = replace(context.settings, values={missing: ALL[missing]})
    with pytest.raises(ValueError, match="SEKKEI_DISCORD"):
        connect(replace(context, settings=alone))
    assert connect(replace(context, settings=replace(context.settings, values=ALL))).own is None


async def test_calls_that_hang_leave_connections_for_others(quick: Bot) -> None:
    """Of other servers, say: nobody waits for what is asked on behalf of somebody else."""
    context = quick.client.shell.deployment.systems["eventbot"].context
    asked, all_asked = list[bytes](), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        if len(asked) == 40:
            all_asked.set()
        if b"/guilds/99 " in asked[-1]:
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"id":"99"}')

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    settings = replace(context.settings, values={**ALL, "discord_api_url": url})
    rest = connect(replace(context, settings=settings)).rest
    hung = [asyncio.create_task(rest.guild(str(number))) for number in range(40)]
    async with asyncio.timeout(60):
        await all_asked.wait()
        assert await rest.guild("99") == {"id": "99"}
    for task in hung:
        task.cancel()
    await asyncio.gather(*hung, return_exceptions=True)
    server.close()
