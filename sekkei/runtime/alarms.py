"""Alarms: what only an operator can mend. They are rows, so that the console and /metrics of any process show them.

    outbox/KIND           the provider does not accept our credentials; messages wait
    dead-letters/KIND     messages, schedules, jobs or stream records were given up (until none is left)
    schedule/NAME         something that runs by the clock fails every time
    job/SYSTEM/JOB        a step of a long job fails again and again
    shard/CONSUMER        a part of a stream cannot be read
    worker/ROUND          a round of the worker fails again and again

SEKKEI_ALARM_TO    where alarms go as well, at most one a day for each: mail addresses and https:// URLs of webhooks,
                   separated by commas
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import datetime, timedelta

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.design import Alarm, alarms, newest_alarms
from sekkei.runtime.failures import error_line
from sekkei.runtime.outbox import SHELL, Outbox
from sekkei.runtime.texts import say
from sekkei.texts import LANGUAGES

KEPT = timedelta(days=30)
_WRITTEN_EVERY = timedelta(seconds=10)
"""One that rings all the time is counted, and written down this often."""

log = logging.getLogger("sekkei.runtime.alarms")


def destinations(text: str) -> list[tuple[str, str]]:
    """SEKKEI_ALARM_TO as kinds of messages and addresses."""
    given = [one.strip() for one in text.split(",") if one.strip()]
    return [("webhook" if one.startswith("https://") else "mail", one) for one in given]


class Alarms:
    def __init__(self, runtime: Database, clock: Clock, to: str = "", public_url: str = "") -> None:
        self._runtime = runtime
        self._clock = clock
        self._to = destinations(to)
        self._public_url = public_url
        self._outbox = Outbox(runtime, clock, SHELL)
        self._written: dict[str, datetime] = {}
        self._count: Counter[str] = Counter()
        self._over: set[str] = set()
        """What is known to be over, so that a success costs nothing."""

    async def ring(self, name: str, detail: str) -> None:
        """Something is wrong, or still is. Whoever says so has enough to do: a store that fails is no error here."""
        now = days.now(self._clock)
        self._over.discard(name)
        self._count[name] += 1
        last = self._written.get(name)
        if last is not None and now - last < _WRITTEN_EVERY:
            return
        self._written[name] = now
        log.error("alarm", extra={"alarm": name, "detail": detail})
        try:
            await self._write(name, detail, now)
            await self._tell(name, detail)
        except Exception as error:
            log.warning("an alarm could not be written down", extra={"alarm": name, "error": error_line(error)})

    async def _write(self, name: str, detail: str, now: datetime) -> None:
        await self._runtime.write(
            alarms.upsert(name)
            .set(Alarm.detail, detail)
            .add(Alarm.count, self._count.pop(name))
            .set_if_absent(Alarm.first_at, now)
            .set_if_absent(Alarm.listed_pk, "ALARM")
            .set(Alarm.listed_at, now)
            .set(Alarm.expires, now + KEPT)
        )

    async def clear(self, name: str) -> bool:
        """It works again, as far as this process can tell; asked for once, and again after it rang."""
        return False if name in self._over else await self.end(name)

    async def end(self, name: str) -> bool:
        """It is over, whoever rang it; False when it did not ring."""
        self._written.pop(name, None)
        self._over.add(name)
        rang = await self._runtime.write(alarms.delete(name)) is not None
        if rang:
            log.warning("an alarm is over", extra={"alarm": name})
        return rang

    async def all(self) -> list[Alarm]:
        """Newest first."""
        return list(await self._runtime.all(newest_alarms()))

    async def _tell(self, name: str, detail: str) -> None:
        day = days.now(self._clock).date().isoformat()
        lines = [say(language, f"alarm.{family(name)}") for language in LANGUAGES]
        text = "\n".join([*lines, "", name, detail, "", f"{self._public_url}/console/alarms"])
        body = {"subject": f"Sekkei: {name}", "text": text, "alarm": name, "detail": detail}
        for number, (kind, to) in enumerate(self._to):
            if name != f"outbox/{kind}":  # the way out that is broken is no way to say so
                await self._outbox.put(kind, to, body, id=f"alarm/{name}/{day}" + (f"/{number}" if number else ""))


def family(name: str) -> str:
    """Which of the alarms it is, for its words."""
    return name.partition("/")[0]
