"""Alarms: what only an operator can mend. They are rows, so that the console and /metrics of any process show them.

SEKKEI_ALARM_TO    where alarms go as well, at most one a day for each: a mail address, or the https:// URL of a webhook
"""

from __future__ import annotations

import logging
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.design import Alarm, alarms, newest_alarms
from sekkei.runtime.outbox import SHELL, Outbox

KEPT = timedelta(days=30)
CLEARED_SECONDS = 60.0

log = logging.getLogger("sekkei.runtime.alarms")


class Alarms:
    def __init__(self, runtime: Database, clock: Clock, to: str = "") -> None:
        self._runtime = runtime
        self._clock = clock
        self._to = to
        self._outbox = Outbox(runtime, clock, SHELL)
        self._ringing: set[str] = set()

    async def ring(self, name: str, detail: str) -> None:
        """Something is wrong, or still is."""
        now = days.now(self._clock)
        log.error("alarm", extra={"alarm": name, "detail": detail})
        self._ringing.add(name)
        await self._runtime.write(
            alarms.upsert(name)
            .set(Alarm.detail, detail)
            .add(Alarm.count, 1)
            .set_if_absent(Alarm.first_at, now)
            .set_if_absent(Alarm.listed_pk, "ALARM")
            .set(Alarm.listed_at, now)
            .set(Alarm.expires, now + KEPT)
        )
        await self._tell(name, detail)

    async def clear(self, name: str) -> None:
        """It works again. Only what rang in this process is asked about, so that a success costs nothing."""
        if name in self._ringing:
            self._ringing.discard(name)
            await self._runtime.write(alarms.delete(name))
            log.warning("an alarm is over", extra={"alarm": name})

    async def all(self) -> list[Alarm]:
        """Newest first."""
        return list(await self._runtime.all(newest_alarms()))

    async def _tell(self, name: str, detail: str) -> None:
        if not self._to:
            return
        kind = "webhook" if self._to.startswith("https://") else "mail"
        if name == f"outbox/{kind}":
            return  # the way out that is broken is no way to say so
        body = {"subject": f"Sekkei: {name}", "text": detail, "alarm": name, "detail": detail}
        await self._outbox.put(kind, self._to, body, id=f"alarm/{name}/{days.today(self._clock).isoformat()}")
