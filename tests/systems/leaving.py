"""Somebody takes their data along, or leaves: a system's part of it, as the shell would ask for it."""

from __future__ import annotations

from typing import Any

from sekkei.runtime.data_subjects import Person, Personal
from sekkei.runtime.jobs import Payload, Step
from tests import calls

STEPS_MAX = 1_000


async def exported(personal: Personal | None, person: Person) -> dict[str, Any]:
    assert personal is not None
    with calls.working("http"):
        return {name: content async for name, content in personal.export(person)}


async def leave(personal: Personal | None, person: Person) -> None:
    """Every step of the job, each part of it twice: a process may die before it says how far it came."""
    assert personal is not None
    with calls.working("work"):
        for _, step in personal.leaving:
            await _take(step, person.payload())


async def look_again(personal: Personal | None, person: Person) -> None:
    """What is done once more a day later, by their id alone."""
    assert personal is not None
    with calls.working("work"):
        for _, step in personal.late:
            await _take(step, {"user_id": person.user_id})


async def _take(step: Step, payload: Payload) -> None:
    cursor: str | None = None
    for _ in range(STEPS_MAX):
        await step(payload, cursor)
        cursor = (await step(payload, cursor)).cursor
        if cursor is None:
            return
    raise AssertionError("a step that never ends")
