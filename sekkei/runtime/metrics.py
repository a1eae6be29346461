"""What an operator's Prometheus reads: this process's counters, and what stands in the store for all of them.

Counters are this process's alone and begin anew with it, as Prometheus expects. A scrape costs nine store calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sekkei.runtime import days
from sekkei.runtime.dead_letters import DeadLetterKind
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.design import due_jobs, due_messages, due_schedules

_DEAD_LETTERS_COUNTED = 100
"""More of a kind are shown as this many: there is enough to do."""
_Labels = Mapping[str, str]


async def text(deployment: Deployment) -> str:
    """In Prometheus' text format, version 0.0.4."""
    delivery, alarms = deployment.worker.delivery, await deployment.worker.alarms.all()
    outcomes = [({"kind": kind, "outcome": came}, count) for (kind, came), count in sorted(delivery.outcomes.items())]
    circuits: dict[str, int] = {}
    for kind, _ in delivery.open_circuits:
        circuits[kind] = circuits.get(kind, 0) + 1
    calls = [({"operation": name}, count) for name, count in sorted(deployment.store.calls.items())]
    lines = [
        *_family("sekkei_up", "gauge", "1 while the process answers", [({}, 1)]),
        *_family("sekkei_outbox_messages_total", "counter", "Messages tried, by what came of them", outcomes),
        *_family("sekkei_outbox_circuits_open", "gauge", "Destinations left alone for a while", _by("kind", circuits)),
        *_family("sekkei_store_calls_total", "counter", "Calls to the store", calls),
        *_family("sekkei_alarm", "gauge", "Alarms that ring", [({"alarm": one.name}, 1) for one in alarms]),
        *_family("sekkei_dead_letters", "gauge", "Given up, at most 100 counted", await _dead_letters(deployment)),
        *_family("sekkei_late_seconds", "gauge", "How long the first has been due", await _late(deployment)),
    ]
    return "\n".join([*lines, ""])


async def _dead_letters(deployment: Deployment) -> list[tuple[_Labels, float]]:
    pages = {
        kind.value: await deployment.dead_letters.page(kind, size=_DEAD_LETTERS_COUNTED) for kind in DeadLetterKind
    }
    return _by("kind", {kind: len(found) for kind, (found, _) in pages.items()})


async def _late(deployment: Deployment) -> list[tuple[_Labels, float]]:
    """A worker that is down or behind shows here."""
    runtime, now = deployment.runtime, days.now(deployment.clock)
    message = await runtime.first(due_messages(now))
    schedule = await runtime.first(due_schedules(now))
    job = await runtime.first(due_jobs(now))
    first = {"messages": message, "schedules": schedule, "jobs": job}
    due = {what: [] if row is None else [row.due_at] for what, row in first.items()}
    return _by("what", {what: _seconds(moments, now) for what, moments in due.items()})


def _seconds(due: Iterable[datetime | None], now: datetime) -> float:
    return max((round((now - moment).total_seconds(), 3) for moment in due if moment is not None), default=0.0)


def _by(label: str, values: Mapping[str, float]) -> list[tuple[_Labels, float]]:
    return [({label: name}, value) for name, value in sorted(values.items())]


def _family(name: str, kind: str, about: str, samples: Iterable[tuple[_Labels, float]]) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *(_sample(name, *one) for one in samples)]


def _sample(name: str, labels: _Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {value:g}" if inside else f"{name} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
