"""What happens when items change: a place that was given back is offered at once, and open pages are told."""

from __future__ import annotations

from datetime import timedelta

from sekkei.design import Change, Reactions
from sekkei.runtime import days
from sekkei.runtime.system import Context
from systems.lessons.alerts import Alerts
from systems.lessons.design import Kind, Lesson, Status, UserLesson, design, lessons, user_lessons
from systems.lessons.monitor import Monitor
from systems.lessons.rules import slot_of

LOOK_AGAIN = timedelta(minutes=1)


def topic(studio_code: str) -> str:
    """Where the open timetables of a studio listen."""
    return f"lessons/studio/{studio_code}"


def reactions_of(context: Context, monitor: Monitor, alerts: Alerts) -> Reactions:
    reactions = Reactions(design, env=context.settings.env)

    @reactions.on(user_lessons)
    async def tie_changed(change: Change[UserLesson]) -> None:
        tie = change.new or change.old
        if tie is None:
            return
        context.live.publish(topic(tie.studio_code), "changed", {"slot": str(slot_of(tie))})
        gave_back = change.new is not None and tie.kind is Kind.BOOKING and tie.status is Status.CANCELLED
        was_active = change.old is not None and change.old.status is Status.ACTIVE
        if gave_back and was_active:
            # Looking twice, as a repeated delivery makes it, tells nobody twice.
            await monitor.look_at(slot_of(tie))

    @reactions.on(lessons)
    async def lesson_changed(change: Change[Lesson]) -> None:
        if change.old is None or change.new is None or _told(change.old) == _told(change.new):
            return
        slot = slot_of(change.new)
        context.live.publish(topic(slot.studio_code), "changed", {"slot": str(slot)})
        await alerts.lesson_changed(slot)
        # Who registered a moment ago may not stand in the index yet.
        later = days.now(context.clock) + LOOK_AGAIN
        await context.schedules.put(f"lessons/changed/{slot}", "changed", {"slot": str(slot)}, at=later)

    return reactions


def _told(found: Lesson) -> tuple[object, ...]:
    """What users have copies of, or are told about."""
    return found.lesson_name, found.instructor, found.called_off
