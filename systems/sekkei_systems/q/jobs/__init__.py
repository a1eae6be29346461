"""What Q. does by the clock, and its long jobs: their names, and what does each."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.runtime.jobs import Job
from sekkei.runtime.system import Context, ScheduledJob
from sekkei_systems.q.jobs.bans import AGAIN as COUNT_BANNED_AGAIN
from sekkei_systems.q.jobs.bans import CountingBans
from sekkei_systems.q.jobs.counters import Counters
from sekkei_systems.q.jobs.pushes import Pushes, Receipts
from sekkei_systems.q.jobs.questions import Questions
from sekkei_systems.q.jobs.traces import JOB as TRACES
from sekkei_systems.q.jobs.traces import LateTraces
from sekkei_systems.q.jobs.withdrawal import Withdrawal
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.erasing import ERASE
from sekkei_systems.q.service.leaving import JOB as BEGIN_WITHDRAWAL
from sekkei_systems.q.service.sanctions import COUNT_BANNED, END_SUSPENSION

RECURRING = {
    "plan": "0 0 * * *",
    "publish": "* * * * *",
    "reuse": "30 0 * * *",
    "reconcile": "30 3 * * *",
    "digest": "0 20 * * 0",
}
"""Japan's time."""


class QJobs:
    def __init__(self, context: Context, service: Service, expo: Receipts | None = None) -> None:
        self.questions = Questions(context, service)
        self.pushes = Pushes(context, service, expo)
        self.counters = Counters(context, service)
        self.traces = LateTraces(context)
        self.withdrawal = Withdrawal(
            context,
            service.accounts,
            service.reactions.end,
            service.people.banned_address,
            service.contacts.keys,
            self.traces,
        )
        self.bans = CountingBans(context)
        self._db, self._clock = context.db, context.clock
        self._erase = service.erasing.erase
        self._end_suspension = service.sanctions.end_suspension

    def definitions(self) -> Mapping[str, Job]:
        return {
            "push": Job([("tokens", self.pushes.push), ("receipts", self.pushes.ask_later)]),
            "receipts": Job([("tokens", self.pushes.receipts)]),
            "reuse": Job([("questions", self.questions.reuse)]),
            "reconcile": Job([("users", self.counters.reconcile)]),
            "digest": Job([("tokens", self.pushes.digest)]),
            "withdraw": Job(self.withdrawal.steps()),
            COUNT_BANNED: Job(self.bans.steps()),
        }

    def scheduled(self) -> Mapping[str, ScheduledJob]:
        return {
            "plan": self.questions.plan,
            "publish": self.questions.publish,
            "reuse": self.questions.begin_reuse,
            "reconcile": self.counters.begin,
            "digest": self.pushes.begin_digest,
            "receipts": self.pushes.begin_receipts,
            "recount": self.counters.recount,
            BEGIN_WITHDRAWAL: self.withdrawal.begin,
            TRACES: self.traces.forget,
            COUNT_BANNED_AGAIN: self.bans.again,
            END_SUSPENSION: self._end_suspension,
            ERASE: self._erase,
        }
