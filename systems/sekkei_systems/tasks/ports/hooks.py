"""Sends what a team's webhooks are told: signed, to an address that was looked at, with little read of the answer.

The outbox sees to the rest: what does not arrive is tried again after longer and longer pauses, and an address that
fails again and again is left alone meanwhile. What never arrives is the team's business, not the operator's: it stands
in the log of the address and rings no alarm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError, NoAnswer
from sekkei.kit.retries import retry_after
from sekkei.runtime import days
from sekkei.runtime.delivery import ATTEMPTS_MAX
from sekkei.runtime.design import Message
from sekkei.runtime.failures import error_line
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import TryAgain
from sekkei.runtime.transports.webhook import (
    LIMITS,
    Network,
    NotPublic,
    Resolve,
    public_address,
    resolved,
)
from sekkei.store.http import Answer
from sekkei_systems.tasks.design import Delivered, Hook, HookDelivery
from sekkei_systems.tasks.rules.hooks import signed
from sekkei_systems.tasks.service.hook_log import HookLog

TRIED_FOR = timedelta(days=1)
"""However often a receiver asks to come back later."""
ANSWER_SECONDS = 20.0
"""With looking its name up; the outbox would wait a little longer."""
PAUSE_SECONDS = 60.0


class Refused(Exception):
    """It will not arrive however often it is tried."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        super().__init__(reason)
        self.code = code


class HookSender:
    """The outbox's way out for webhooks."""

    timeout_seconds = 30.0

    def __init__(
        self,
        log: HookLog,
        clock: Clock,
        allowed: Sequence[Network] = (),
        resolve: Resolve = resolved,
        http: Http | None = None,
    ) -> None:
        self._log, self._clock = log, clock
        self._allowed, self._resolve = allowed, resolve
        self._http = http or Http(LIMITS)

    def destination(self, message: Message) -> str:
        """One call at a time to an address; teams that share a host do not share its failures."""
        return str(message.body["hook"])

    async def send(self, message: Message) -> str:
        body = message.body
        found = await self._log.due(body["team"], body["hook"], body["delivery"])
        if found is None:
            return "nobody asks for it any more"
        hook, delivery = found
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self._post(hook, delivery)
        except TimeoutError:
            return await self._later(
                hook, delivery, message, None, f"no answer within {ANSWER_SECONDS:g} seconds", None
            )
        except Refused as refused:
            return await self._failed(hook, delivery, message, refused)
        except (OSError, NoAnswer) as error:
            reason = "no answer in time" if isinstance(error, TimeoutError) else error_line(error)
            return await self._later(hook, delivery, message, None, reason, None)
        return await self._judged(hook, delivery, message, answer)

    async def _post(self, hook: Hook, delivery: HookDelivery) -> Answer:
        secret = self._log.secret(hook)
        if secret is None:
            raise Refused("the secret was sealed under another SEKKEI_SECRET; add the address anew")
        content = delivery.body.encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Sekkei-Tasks",
            **signed(secret, delivery.event_id, int(self._clock.now()), content),
        }
        try:
            address = await public_address(hook.url, self._allowed, self._resolve)
            return await self._http.request("POST", hook.url, headers=headers, body=content, address=address)
        except (NotPublic, ConfigurationError) as error:
            raise Refused(error_line(error)) from None

    async def _judged(self, hook: Hook, delivery: HookDelivery, message: Message, answer: Answer) -> str:
        code = answer.status
        if 200 <= code < 300:
            await self._log.write(delivery, Delivered.SENT, message.attempts, code)
            await self._log.arrived(hook)
            return str(code)
        if 300 <= code < 400:
            return await self._failed(hook, delivery, message, Refused("redirects are not followed", code))
        if code == 410:
            return await self._failed(hook, delivery, message, Refused("gone", code))
        asked = None
        if code in (429, 503):
            asked = retry_after(answer.headers.get(b"retry-after"), self._clock.now()) or PAUSE_SECONDS
        return await self._later(hook, delivery, message, code, "", asked)

    async def _later(
        self,
        hook: Hook,
        delivery: HookDelivery,
        message: Message,
        code: int | None,
        error: str,
        pause_seconds: float | None,
    ) -> str:
        """Raises what makes the outbox try again, unless it was tried often enough."""
        old = message.created_at + TRIED_FOR <= days.now(self._clock)
        if message.attempts >= ATTEMPTS_MAX or old:
            return await self._failed(hook, delivery, message, Refused(error, code))
        await self._log.write(delivery, Delivered.WAITING, message.attempts, code, error)
        await self._log.missed(hook)
        if pause_seconds is not None:
            raise TryAgain(pause_seconds, f"the receiver answered {code}", everywhere=False)
        raise ConnectionError(error or f"the receiver answered {code}")

    async def _failed(self, hook: Hook, delivery: HookDelivery, message: Message, refused: Refused) -> str:
        await self._log.write(delivery, Delivered.FAILED, message.attempts, refused.code, str(refused))
        await self._log.missed(hook, gone=refused.code == 410)
        return f"given up: {refused.code or refused}"
