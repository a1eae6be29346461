"""What happens when items change: a place that was given back is offered at once, and open pages are told."""

from __future__ import annotations

from sekkei.design import Change, Reactions
from sekkei.runtime.system import Context
from systems.lessons.design import Kind, Status, UserLesson, design, user_lessons
from systems.lessons.monitor import Monitor
from systems.lessons.rules import slot_of


def topic(studio_code: str) -> str:
    """Where the open timetables of a studio listen."""
    return f"lessons/studio/{studio_code}"


def reactions_of(context: Context, monitor: Monitor) -> Reactions:
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

    return reactions
