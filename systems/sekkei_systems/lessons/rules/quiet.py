"""Hours in which somebody does not want to be woken."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from sekkei_systems.days import JST
from sekkei_systems.lessons.design import Contact


def is_quiet(moment: datetime, quiet_from: time | None, quiet_until: time | None) -> bool:
    """Whether somebody does not want to be woken; the hours may go over midnight."""
    if quiet_from is None or quiet_until is None or quiet_from == quiet_until:
        return False
    now = moment.astimezone(JST).time()
    if quiet_from < quiet_until:
        return quiet_from <= now < quiet_until
    return now >= quiet_from or now < quiet_until


def end_of_quiet(moment: datetime, quiet_until: time) -> datetime:
    local = moment.astimezone(JST)
    end = datetime.combine(local.date(), quiet_until, JST)
    return end if end > local else end + timedelta(days=1)


def quiet_pause(person: Contact | None, now: datetime, starts_at: datetime) -> timedelta:
    """How long a notice waits: until the end of the quiet hours, if the lesson is not over by then."""
    if person is None or person.quiet_until is None or not is_quiet(now, person.quiet_from, person.quiet_until):
        return timedelta()
    end = end_of_quiet(now, person.quiet_until)
    return end - now if end < starts_at else timedelta()
