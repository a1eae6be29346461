"""What happens when items change: a place that was given back is offered at once, those who look for a lesson hear of
it, those who have to do with one hear of its changes, and open pages are told."""

from __future__ import annotations

from datetime import timedelta

from sekkei.design import Change, Reactions
from sekkei.runtime import days
from sekkei.runtime.system import Context
from sekkei_systems.lessons.design import Lesson, UserLesson, copies_of, design, lessons, user_lessons
from sekkei_systems.lessons.rules.places import free_places, is_available
from sekkei_systems.lessons.rules.slots import slot_of
from sekkei_systems.lessons.service.alerts import Alerts
from sekkei_systems.lessons.service.monitor import Monitor
from sekkei_systems.lessons.service.searches import Searches

_LOOK_AGAIN = timedelta(minutes=1)


def topic(studio_code: str) -> str:
    """Where the open timetables of a studio listen."""
    return f"lessons/studio/{studio_code}"


def reactions_of(context: Context, monitor: Monitor, alerts: Alerts, searches: Searches) -> Reactions:
    """Records may come twice, and late: all that is done here may be done again, on what is there then."""
    reactions = Reactions(design, env=context.settings.env)

    @reactions.on(user_lessons)
    async def tie_changed(change: Change[UserLesson]) -> None:
        tie = change.new or change.old
        if tie is not None:
            context.live.publish(topic(tie.studio_code), "changed", {"slot": str(slot_of(tie))})

    @reactions.on(lessons)
    async def lesson_changed(change: Change[Lesson]) -> None:
        old, new = change.old, change.new
        if new is None:
            return
        slot = slot_of(new)
        if old is None or _shown(old) != _shown(new):
            context.live.publish(topic(slot.studio_code), "changed", {"slot": str(slot)})
        if old is None or (is_available(new) and not is_available(old)):
            await searches.came_up(new, opened=old is not None)
        if old is None:
            return
        if is_available(old) and not is_available(new):
            await monitor.filled(old, new)
        elif is_available(new) and _free(new) > (_free(old) if is_available(old) else 0):
            await monitor.look_at(slot)
        if _told(old) != _told(new):
            await alerts.lesson_changed(slot)
            # Who registered a moment ago may not stand in the index yet.
            later = days.now(context.clock) + _LOOK_AGAIN
            await context.schedules.put(f"lessons/changed/{slot}", "changed", {"slot": str(slot)}, at=later)

    return reactions


def _free(found: Lesson) -> float:
    free = free_places(found)
    return float("inf") if free is None else free


def _shown(found: Lesson) -> tuple[object, ...]:
    return found.booked, found.capacity, found.is_open, found.end_time, *_told(found)


def _told(found: Lesson) -> tuple[object, ...]:
    """What users have copies of, or hear about."""
    return *copies_of(found).values(), found.called_off
