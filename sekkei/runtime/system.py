"""A system: what it is made of, what it is given, and what it gives back to be run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sekkei.clock import Clock
from sekkei.design import Database, Design, Reactions
from sekkei.runtime.ends import End
from sekkei.runtime.settings import Settings
from sekkei.store.protocol import Store

if TYPE_CHECKING:
    from sekkei.runtime.data_subjects import Personal
    from sekkei.runtime.idempotency import Idempotency
    from sekkei.runtime.jobs import Job, Jobs
    from sekkei.runtime.live import Live
    from sekkei.runtime.outbox import Outbox, Transport
    from sekkei.runtime.schedules import Schedules

Localized = Mapping[str, str]
"""A text in its languages: {"ja": …, "en": …}."""
Payload = Mapping[str, Any]
ScheduledJob = Callable[[Payload], Awaitable[datetime | None]]
"""What is done by the clock. One that recurs and found nothing to do may say before when it would find nothing either,
as long as nothing is written: worlds leave its runs out until then (and try some, to see whether it is so)."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a system is given, and all it may use of the world."""

    system: str
    store: Store
    db: Database
    """The system's own design, opened on the store."""
    runtime: Database
    """The runtime's table; its rows may join the system's transactions."""
    clock: Clock
    settings: Settings
    outbox: Outbox
    schedules: Schedules
    jobs: Jobs
    idempotency: Idempotency
    live: Live


@dataclass(frozen=True, slots=True)
class Parts:
    """What a system gives back to be run."""

    service: Any = None
    """Its operations; for tests and commands."""
    routes: Sequence[Any] = ()
    """Starlette routes below `/{name}`."""
    reactions: Sequence[Reactions] = ()
    """What it does when items change, in five minutes or the `limit_seconds` that one of them has; then it failed."""
    scheduled: Mapping[str, ScheduledJob] = field(default_factory=dict)
    """What its schedules call, by job name; each has 15 minutes, or the `limit_seconds` that the function has."""
    recurring: Mapping[str, str] = field(default_factory=dict)
    """Job name to cron text (in the system's zone): schedules that are always there."""
    jobs: Mapping[str, Job] = field(default_factory=dict)
    """Long, resumable jobs, by name."""
    once: Sequence[str] = ()
    """Jobs that a store needs once, such as those that bring an earlier version's data up to date."""
    transports: Mapping[str, Transport] = field(default_factory=dict)
    """Ways out that only this system knows, by message kind."""
    personal: Personal | None = None
    """What it holds of people, for those who ask for it or leave."""


@dataclass(frozen=True, slots=True)
class System:
    """One of the systems that this program can run."""

    name: str
    title: Localized
    about: Localized
    design: Design
    build: Callable[[Context], Parts]
    demo: Callable[[Context, Parts], Awaitable[None]]
    pages: Sequence[tuple[str, Localized]] = ()
    """What to open, as (path below the prefix, words), for the home page."""
    ends: Sequence[End] = ()
    """Services outside that it needs; while one is local, it is not open to others by accident."""
    zone: str = "UTC"
    """Whose days and times count: of recurring jobs, and on pages."""
    settings: Sequence[str] = ()
    """What else may be set for it, without `SEKKEI_` and in lower case; its page in docs/ says what each is for."""
