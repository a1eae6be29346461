"""What is promised to whoever pressed something: what is to follow the answer comes, if that was in time."""

from __future__ import annotations

from sekkei.design.sync_driver import drive
from sekkei.runtime.design import Message, State
from sekkei.worlds import World, promises
from sekkei_fakes.discord.discord import TOKEN_LIFE
from tests.worlds.eventbot import WORLD, discord_of


@WORLD.finally_
def what_follows_an_answer_is_not_given_up(world: World) -> None:
    """As long as the token of the interaction is good."""
    answered = {one["interaction"]: one["at"] for _, one in drive(discord_of(world).things("token"))}
    for row in promises.runtime_rows(world):
        if isinstance(row, Message) and row.kind == "eventbot.reply" and row.state is State.FAILED:
            assert row.due_at is not None
            age = row.due_at.timestamp() - answered.get(row.to, 0.0)
            assert age > TOKEN_LIFE.total_seconds(), f"{row.id} is given up {age:.0f} seconds after: {row.last_error}"
