"""Sends what a team's webhooks are told: signed, to an address that was looked at, with little read of the answer.

The outbox sees to the rest: what does not arrive is tried again after longer and longer pauses, and an address that
fails again and again is left alone meanwhile. What never arrives is the team's business, not the operator's: it stands
in the log of the address and rings no alarm.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.errors import NoAnswer
from sekkei.runtime import days
from sekkei.runtime.delivery import ATTEMPTS_MAX
from sekkei.runtime.design import Message
from sekkei.runtime.failures import error_line
from sekkei.runtime.outbox import Undeliverable
from sekkei.runtime.transports.webhook import Sender
from sekkei_systems.tasks.design import Delivered, Hook, HookDelivery
from sekkei_systems.tasks.service.hook_log import HookLog

TRIED_FOR = timedelta(days=1)
"""However often a receiver asks to come back later."""
ANSWER_SECONDS = 20.0
"""With looking its name up; the outbox would wait a little longer."""


class HookSender:
    """The outbox's transport for webhooks of teams."""

    timeout_seconds = 30.0

    def __init__(self, log: HookLog, sender: Sender, clock: Clock) -> None:
        self._log, self._sender, self._clock = log, sender, clock

    def destination(self, message: Message) -> str:
        """One call at a time to an address; teams that share a host do not share its failures."""
        return str(message.body["hook"])

    async def send(self, message: Message) -> str:
        body = message.body
        due = await self._log.due(body["team"], body["hook"], body["delivery"])
        if due is None:
            return "nobody asks for it any more"
        hook, delivery = due
        code, problem = await self._tried(hook, delivery)
        if problem is None:
            await self._log.write(delivery, Delivered.SENT, message.attempts, code)
            await self._log.arrived(hook)
            return str(code)
        if isinstance(problem, Undeliverable):
            return await self._failed(hook, delivery, message, code, str(problem))
        return await self._later(hook, delivery, message, code, problem)

    async def _tried(self, hook: Hook, delivery: HookDelivery) -> tuple[int | None, Exception | None]:
        """The status of the answer, and what is wrong."""
        secret = self._log.secret(hook)
        if secret is None:
            return None, Undeliverable("the secret was sealed under another SEKKEI_SECRET; add the address anew")
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self._sender.post(hook.url, delivery.event_id, delivery.body.encode(), [secret])
        except TimeoutError:
            return None, ConnectionError(f"no answer within {ANSWER_SECONDS:g} seconds")
        except (OSError, NoAnswer, Undeliverable) as error:
            return None, error
        return answer.status, self._sender.problem(answer)

    async def _later(
        self, hook: Hook, delivery: HookDelivery, message: Message, code: int | None, problem: Exception
    ) -> str:
        """Raises what makes the outbox try again, unless it was tried often enough."""
        error = "" if code is not None else error_line(problem)
        old = message.created_at + TRIED_FOR <= days.now(self._clock)
        if message.attempts >= ATTEMPTS_MAX or old:
            return await self._failed(hook, delivery, message, code, error)
        await self._log.write(delivery, Delivered.WAITING, message.attempts, code, error)
        await self._log.missed(hook)
        raise problem

    async def _failed(self, hook: Hook, delivery: HookDelivery, message: Message, code: int | None, error: str) -> str:
        await self._log.write(delivery, Delivered.FAILED, message.attempts, code, error)
        await self._log.missed(hook, gone=code == 410)
        return f"given up: {code or error}"
