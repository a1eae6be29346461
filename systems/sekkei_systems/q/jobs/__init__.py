"""What Q. does by the clock, and its long jobs: their names, and what does each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sekkei.runtime.jobs import Job
from sekkei.runtime.system import ScheduledJob
from sekkei_systems.q.jobs.counters import AGAIN as COUNT_BANNED_AGAIN
from sekkei_systems.q.jobs.counters import Counters, CountingBans
from sekkei_systems.q.jobs.questions import Pushes, Questions
from sekkei_systems.q.jobs.withdrawal import JOB as TRACES
from sekkei_systems.q.jobs.withdrawal import LateTraces, Withdrawal
from sekkei_systems.q.service.answers import ERASE, Erasing
from sekkei_systems.q.service.people import JOB as BEGIN_WITHDRAWAL
from sekkei_systems.q.service.sanctions import COUNT_BANNED, END_SUSPENSION, Sanctions

RECURRING = {
    "plan": "0 0 * * *",
    "publish": "* * * * *",
    "reuse": "30 0 * * *",
    "reconcile": "30 3 * * *",
    "digest": "0 20 * * 0",
}
"""Japan's time."""


@dataclass
class QJobs:
    questions: Questions
    pushes: Pushes
    counters: Counters
    traces: LateTraces
    withdrawal: Withdrawal
    bans: CountingBans
    erasing: Erasing
    sanctions: Sanctions

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
            END_SUSPENSION: self.sanctions.end_suspension,
            ERASE: self.erasing.erase,
        }
