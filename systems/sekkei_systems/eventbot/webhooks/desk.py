"""Finds out what an interaction wants, has it done, and says the result, in the language of whoever asked."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta

import orjson
from starlette.requests import Request
from starlette.responses import Response

from sekkei.design import TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.system import Payload
from sekkei.web import Pages
from sekkei.web.csrf import body_limit
from sekkei_systems.eventbot.ports.discord.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, Verifier
from sekkei_systems.eventbot.refusals import Busy, Repeated
from sekkei_systems.eventbot.rules import render
from sekkei_systems.eventbot.rules.identifiers import custom_id, read_custom_id
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.texts import language, wording
from sekkei_systems.eventbot.webhooks import interactions
from sekkei_systems.eventbot.webhooks.commands import Commands
from sekkei_systems.eventbot.webhooks.forms import Forms
from sekkei_systems.eventbot.webhooks.interactions import (
    AUTOCOMPLETE,
    COMPONENT,
    MODAL,
    PING,
    Answer,
    Asked,
    BadInteraction,
    Interaction,
    Tools,
    read,
)
from sekkei_systems.eventbot.webhooks.presses import Presses

log = logging.getLogger("sekkei_systems.eventbot.webhooks")

ANSWER_SECONDS = 1.5
"""Discord hangs up after three."""
_AT_ONCE_MAX = 32
LINE_MAX = 64
"""With more than this many before them, people are answered «later» at once."""
BREATH_SECONDS = 1.0
"""They are served after this long, so that whoever came with them gets an answer first."""
ANSWER_LATE = "answer-late"
_TAKEN_UP_AFTER = timedelta(seconds=20)
_MARKED_AT_ONCE = frozenset({"join", "leave", "maybe", "no", "ack"})
"""Verbs whose first write carries the mark of the request, so that nobody need look for it before."""
_KEPT_AFTER = (409, 412, 422)
"""What was typed is worth another try: it was wrong, somebody else was quicker, or something stands in the way."""


@dataclass
class InteractionDesk:
    """`await desk.answer(interaction)`: always an answer, and in time.

    So many are worked on at once, first come first. Whoever would wait too long is answered «later» at once; what they
    wanted is written down before that, so it is done even if this process dies."""

    desk: Desk
    tools: Tools
    commands: Commands
    presses: Presses
    forms: Forms

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(_AT_ONCE_MAX)
        self._line: set[asyncio.Task[Answer]] = set()
        self._late: set[asyncio.Task[None]] = set()

    async def answer(self, interaction: Interaction) -> Answer:
        """Raises Repeated for what has been carried out before."""
        if interaction.type == PING:
            return interactions.PONG
        if interaction.actor is None:
            return interactions.message(render.private(wording(interaction.locale)("bot.guild-only")))
        has_room = len(self._line) < LINE_MAX
        if not (has_room and _marks_at_once(interaction)):
            await self.desk.refuse_repetition(interaction.actor)
        asked = Asked(interaction, interaction.actor, wording(interaction.locale))
        work = None
        if has_room:
            work = self._begin(asked)
            done, _ = await asyncio.wait({work}, timeout=ANSWER_SECONDS)
            if done:
                return work.result()
        if interaction.type != AUTOCOMPLETE:
            return await self._defer(asked, work)
        if work is not None:
            work.cancel()
        return interactions.choices([])  # nobody waits for suggestions; the next letter asks again

    def _begin(self, asked: Asked) -> asyncio.Task[Answer]:
        work = asyncio.create_task(self._in_turn(asked))
        self._line.add(work)
        work.add_done_callback(self._line.discard)
        return work

    async def _in_turn(self, asked: Asked) -> Answer:
        async with self._turns:
            self._line -= {asyncio.current_task()}
            try:
                answer = await self._handled(asked)
                await self.desk.finish(asked.actor)
            except Repeated:
                raise
            except Exception:
                log.exception("an interaction failed", extra={"interaction": asked.interaction.id})
                apology = interactions.message(render.private(asked.words("bot.wrong")))
                return interactions.choices([]) if asked.interaction.type == AUTOCOMPLETE else apology
            return answer

    # Later: the work goes on here; a row remembers it, and a worker takes it up if nobody has answered by then

    async def _defer(self, asked: Asked, work: asyncio.Task[Answer] | None) -> Answer:
        log.info("an interaction is answered late", extra={"interaction": asked.interaction.id})
        due = days.now(self.desk.clock) + _TAKEN_UP_AFTER
        payload = {"body": asked.interaction.body.decode()}
        await self.desk.soon.put(_row(asked.interaction), ANSWER_LATE, payload, at=due)
        following = asyncio.create_task(self._follow(asked, work))
        self._late.add(following)
        following.add_done_callback(self._late.discard)
        pressed = asked.interaction.type == COMPONENT
        return interactions.DEFERRED_UPDATE if pressed else interactions.deferred_private()

    async def _follow(self, asked: Asked, work: asyncio.Task[Answer] | None) -> None:
        try:
            if work is None:
                await asyncio.sleep(BREATH_SECONDS)
                work = self._begin(asked)
            await self._reply(asked, await work)
        except Exception:
            log.exception("a late answer is left to the worker", extra={"interaction": asked.interaction.id})

    async def settled(self) -> None:
        """Until nobody who was put off here waits any more."""
        await asyncio.gather(*self._late)

    async def answer_late(self, payload: Payload) -> None:
        """What the row calls."""
        interaction = read(str(payload["body"]).encode())
        assert interaction.actor is not None
        asked = Asked(interaction, interaction.actor, wording(interaction.locale))
        try:
            await self.desk.refuse_repetition(asked.actor)
            answer = await self._begin(asked)
        except Repeated as done:  # carried out, but whoever did it died before saying so
            answer = interactions.message(render.private(done.text(language(interaction.locale))))
        await self._reply(asked, answer)

    async def _reply(self, asked: Asked, answer: Answer) -> None:
        """Through the outbox, once; the row goes in the same transaction."""
        interaction = asked.interaction
        if answer["type"] == 7 and not interaction.from_private:
            # The picture is old by now; the edit that follows every change draws what everybody sees.
            await self.desk.soon.delete(_row(interaction))
            return
        if answer["type"] == 9:  # a form opens within three seconds or never
            answer = interactions.message(render.private(Busy().text(language(interaction.locale))))
        original = answer["type"] == 7 or interaction.type != COMPONENT
        body = {"message": answer["data"], "original": original, "token": interaction.token}
        reply = self.desk.outbox.message("eventbot.reply", interaction.id, body, id=f"late/{interaction.id}")
        try:
            await self.desk.transact(reply, self.desk.soon.delete_action(_row(interaction)))
        except TransactionFailed:
            pass  # a worker was quicker

    async def _handled(self, asked: Asked) -> Answer:
        """Refusals become words."""
        kind = asked.interaction.type
        try:
            if kind == COMPONENT:
                return await self.presses.handle(asked)
            if kind == MODAL:
                return await self._form(asked)
            return await self.commands.handle(asked)
        except Repeated:
            raise
        except Refusal as refusal:
            if kind == AUTOCOMPLETE:
                return interactions.choices([])
            return interactions.message(render.private(refusal.text(language(asked.interaction.locale))))

    async def _form(self, asked: Asked) -> Answer:
        try:
            return await self.forms.handle(asked)
        except Refusal as wrong:
            press, values = self.forms.read(asked)
            if isinstance(wrong, Repeated) or wrong.status not in _KEPT_AFTER:
                raise
            text = render.private(f"⚠️ {wrong.text(language(asked.interaction.locale))}")
            if press is None:
                return interactions.message(text)
            draft = await self.tools.keep_draft({**values, "event": press.uuid, "ping": press.more})
            again = render.button(asked.words("bot.retry"), custom_id("retry", draft, press.verb), render.PRIMARY)
            return interactions.message({**text, "components": [render.row(again)]})


def _marks_at_once(interaction: Interaction) -> bool:
    press = read_custom_id(str(interaction.data.get("custom_id", ""))) if interaction.type == COMPONENT else None
    return press is not None and press.verb in _MARKED_AT_ONCE


def _row(interaction: Interaction) -> str:
    return f"late-{interaction.id}"


# `POST /eventbot/interactions`: Discord's way in. The signature over the raw bytes comes first.


pages = Pages()

_BODY_BYTES_MAX = 256 * 1024


@pages.webhook("/interactions", name="interactions")
@body_limit(_BODY_BYTES_MAX)
async def receive(request: Request, desk: Desk, verifier: Verifier, interaction_desk: InteractionDesk) -> Response:
    body = await request.body()
    signature, timestamp = request.headers.get(SIGNATURE_HEADER), request.headers.get(TIMESTAMP_HEADER)
    if not verifier.verify(signature, timestamp, body, desk.clock.now()):
        return Response("invalid request signature", 401, media_type="text/plain")
    try:
        interaction = read(body)
    except BadInteraction as bad:
        return Response(str(bad), 400, media_type="text/plain")
    try:
        answer = await interaction_desk.answer(interaction)
    except Repeated:
        # Discord sends an interaction once. Whoever sends it again has recorded it.
        log.warning("an interaction came twice", extra={"interaction": interaction.id})
        return Response("this interaction has been handled", 409, media_type="text/plain")
    return Response(orjson.dumps(answer), media_type="application/json")
