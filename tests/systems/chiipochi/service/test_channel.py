"""What the bot asks of the channel is never worth a failure."""

from __future__ import annotations

from sekkei.runtime.transports.line import Quota
from sekkei_systems.chiipochi.rules.conversation import Incoming
from sekkei_systems.chiipochi.service.channel import Channel
from sekkei_systems.chiipochi.texts import Language
from tests.systems.chiipochi.conftest import AOI, REN


class Line:
    """Fails for one person, and when it is asked for the quota."""

    def __init__(self) -> None:
        self.loading: list[str] = []

    async def language_of(self, user_id: str) -> Language | None:
        return "en"

    async def show_loading(self, user_id: str) -> None:
        if user_id == AOI:
            raise ConnectionError("not today")
        self.loading.append(user_id)

    async def quota(self) -> Quota | None:
        raise ConnectionError("not today")


async def test_a_quota_that_line_does_not_tell_is_none() -> None:
    assert await Channel(Line()).quota() is None


async def test_everybody_who_waits_sees_it_and_groups_do_not() -> None:
    line = Line()
    events = [Incoming(f"e{place}", user, 1, "text") for place, user in enumerate((AOI, REN, REN))]
    group = Incoming("e9", "U" + "c" * 32, 1, "text", group="C1")
    await Channel(line).keep_waiting([*events, group])
    assert line.loading == [REN]
