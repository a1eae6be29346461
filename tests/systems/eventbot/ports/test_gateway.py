"""Which ends the bot is connected to."""

from __future__ import annotations

from sekkei.runtime.aws.eventbridge import EventBridgeSchedules
from tests.systems.eventbot.conftest import Bot


async def test_reminders_go_to_eventbridge_where_it_is_set_up(quick: Bot) -> None:
    from sekkei_systems.eventbot.ports.gateway import schedules_of

    context = quick.client.shell.deployment.systems["eventbot"].context
    assert schedules_of(context) is context.schedules
    from dataclasses import replace

    values = {"schedule_target": "arn:aws:lambda:x:1:function:bot", "schedule_role": "arn:aws:iam::1:role/r"}
    settings = replace(context.settings, values=values)
    assert isinstance(schedules_of(replace(context, settings=settings)), EventBridgeSchedules)
