"""What a system does for people who ask for their data or leave: it hands everything over, and it forgets them.

A system says so in its parts, and the shell does the rest (`/account/export`, `/account/leave`):

    Parts(..., personal=Personal(
        about={"ja": "チームから抜け、…", "en": "You leave your teams …"},
        export=export,          # async def export(person): yield "teams.json", [as_data(team), …]
                                #                           yield "pictures/me.jpg", b"…"
        leaving=[("teams", leave_teams), ("notes", delete_notes)],      # steps of a job, see sekkei.runtime.jobs
        obstacles=obstacles,    # async def obstacles(person) -> what they have to settle first
    ))

The steps are given `user_id`, `email` and `name` of whoever leaves, as their payload. Each may be cut off anywhere and
done again, so it must bear that; each runs in a process that serves the system. What messages, schedules and finished
jobs still say of somebody goes afterwards, by itself. Whoever leaves can no longer sign in when the first step begins.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sekkei.design import Database
from sekkei.design.model import described
from sekkei.runtime.jobs import Job, Step
from sekkei.runtime.traces import Traces

LEAVE = "leave-account"
"""The job's name, in every system."""

Localized = Mapping[str, str]
Exported = tuple[str, Any]
"""A name such as `answers.json` or `pictures/1.jpg`, and what is in it: bytes as they are, anything else as JSON."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    user_id: str
    email: str
    """In lower case, proven to be theirs; empty for somebody known by a provider only."""
    name: str

    def payload(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that only they can settle, such as who leads a team when they are gone."""

    text: Localized
    path: str = "/"
    """Where to do so, below the system's prefix."""


async def nothing_in_the_way(person: Person) -> Sequence[Obstacle]:
    return ()


@dataclass(frozen=True, slots=True)
class Personal:
    """What one system holds of people, and how it lets them go."""

    about: Localized
    """What leaving means there, in a sentence or two."""
    export: Callable[[Person], AsyncIterator[Exported]]
    """Everything that it holds of somebody; nothing at all for somebody it does not know."""
    leaving: Sequence[tuple[str, Step]]
    obstacles: Callable[[Person], Awaitable[Sequence[Obstacle]]] = nothing_in_the_way


def as_data(row: Any, *without: str) -> dict[str, Any]:
    """A stored item by the names of its attributes, to be exported; some may be left out, such as hashes."""
    fields = described(type(row)).fields
    return {name: getattr(row, name) for name, field in fields.items() if field.in_init and name not in without}


def leaving_job(system: str, steps: Sequence[tuple[str, Step]], runtime: Database) -> Job:
    """The steps of a system, and then what the runtime holds for it."""
    return Job([*steps, *Traces(runtime, system).steps()], leaves_nothing=True)
