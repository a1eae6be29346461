"""Finds out what an interaction wants, has it done, and says the result, in the language of whoever asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from sekkei.runtime.idempotency import Idempotency
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import Invalid, Refusal
from systems.eventbot import render
from systems.eventbot.identifiers import Press, custom_id
from systems.eventbot.interactions import answers
from systems.eventbot.interactions.answers import Answer
from systems.eventbot.interactions.incoming import AUTOCOMPLETE, COMPONENT, MODAL, PING, Interaction
from systems.eventbot.service import Actor, Service
from systems.eventbot.wording import Wording, language, wording

log = logging.getLogger("systems.eventbot.interactions")

ANSWER_SECONDS = 2.0
"""Discord hangs up after three."""
DRAFT_KEPT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """An interaction in a guild, with what every handler needs."""

    interaction: Interaction
    actor: Actor
    words: Wording
    """For this person alone; what everybody in the channel sees follows the guild's settings."""


Handler = Callable[[Asked], Awaitable[Answer]]
PressHandler = Callable[[Asked, Press], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Tools:
    """What handlers work with."""

    service: Service
    jobs: Jobs
    idempotency: Idempotency
    public_url: str

    async def keep_draft(self, values: dict[str, str]) -> str:
        """Remember what somebody typed, so that a mistake does not cost them all of it."""
        id = uuid7(self.service.desk.clock)
        await self.service.desk.transact(self.idempotency.mark(f"eventbot/draft/{id}", values, DRAFT_KEPT))
        return id

    async def draft(self, id: str) -> dict[str, str]:
        found = await self.idempotency.answer(f"eventbot/draft/{id}")
        return {name: str(value) for name, value in (found or {}).items()}


class InteractionDesk:
    """`await desk.answer(interaction)`: always an answer, and in time."""

    def __init__(self, tools: Tools) -> None:
        from systems.eventbot.interactions.commands import Commands
        from systems.eventbot.interactions.forms import Forms
        from systems.eventbot.interactions.presses import Presses

        self._tools = tools
        self._commands = Commands(tools)
        self._presses = Presses(tools)
        self._forms = Forms(tools)
        self._late: set[asyncio.Task[None]] = set()

    async def answer(self, interaction: Interaction) -> Answer:
        if interaction.type == PING:
            return answers.PONG
        if interaction.actor is None:
            return answers.message(render.private(wording(interaction.locale)["guild-only"]))
        asked = Asked(interaction, interaction.actor, wording(interaction.locale))
        work = asyncio.create_task(self._handled(asked))
        done, _ = await asyncio.wait({work}, timeout=ANSWER_SECONDS)
        if done:
            return work.result()
        return self._defer(asked, work)

    def _defer(self, asked: Asked, work: asyncio.Task[Answer]) -> Answer:
        """It takes longer than Discord waits: the answer follows through the outbox."""
        log.warning("an interaction is answered late", extra={"interaction": asked.interaction.id})
        following = asyncio.create_task(self._follow(asked, work))
        self._late.add(following)
        following.add_done_callback(self._late.discard)
        pressed = asked.interaction.type == COMPONENT
        return answers.DEFERRED_UPDATE if pressed else answers.deferred_private()

    async def _follow(self, asked: Asked, work: asyncio.Task[Answer]) -> None:
        answer = await work
        if answer["type"] in (4, 7):
            body = {"message": answer["data"], "original": answer["type"] == 7 or asked.interaction.type != COMPONENT}
            await self._tools.service.desk.outbox.put(
                "eventbot.reply", asked.interaction.token, body, id=f"late/{asked.interaction.id}"
            )

    async def _handled(self, asked: Asked) -> Answer:
        """Refusals become words; bugs become an apology and a line in the log."""
        kind = asked.interaction.type
        try:
            if kind == COMPONENT:
                return await self._presses.handle(asked)
            if kind == MODAL:
                return await self._form(asked)
            return await self._commands.handle(asked)
        except Refusal as refusal:
            if kind == AUTOCOMPLETE:
                return answers.choices([])
            return answers.message(render.private(refusal.text(language(asked.interaction.locale))))
        except Exception:
            log.exception("an interaction failed", extra={"interaction": asked.interaction.id})
            return (
                answers.choices([]) if kind == AUTOCOMPLETE else answers.message(render.private(asked.words["wrong"]))
            )

    async def _form(self, asked: Asked) -> Answer:
        try:
            return await self._forms.handle(asked)
        except Invalid as wrong:
            press, values = self._forms.read(asked)
            text = render.private(f"⚠️ {wrong.text(language(asked.interaction.locale))}")
            if press is None:
                return answers.message(text)
            draft = await self._tools.keep_draft({**values, "event": press.uuid})
            again = render.button(asked.words["retry"], custom_id("retry", draft, press.verb), render.PRIMARY)
            return answers.message({**text, "components": [render.row(again)]})
