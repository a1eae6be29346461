"""When a recurring schedule fires next: five cron fields, read in the zone of a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_YEARS_MAX = 5


class BadCron(ValueError):
    """The text is no cron expression."""


class Cron:
    """`Cron("5 0 * * *").after(moment)`: minute, hour, day of month, month, day of week (0 is Sunday)."""

    def __init__(self, text: str) -> None:
        fields = text.split()
        if len(fields) != 5:
            raise BadCron(f"{text!r} has {len(fields)} fields; give five: minute hour day month weekday.")
        self.text = text
        self._sets = [_values(*each) for each in zip(fields, _RANGES, _FIELDS, strict=True)]
        # As in cron: when both days are restricted, either of them is enough.
        self._either_day = fields[2] != "*" and fields[4] != "*"

    def after(self, moment: datetime) -> datetime:
        """The first firing strictly after a moment, by the clocks of its zone: once where they show an hour twice."""
        found = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        limit = found + timedelta(days=366 * _YEARS_MAX)
        minutes, hours, _, months, _ = self._sets
        while found < limit:
            if found.month not in months or not self._is_day(found):
                found = (found + timedelta(days=1)).replace(hour=0, minute=0)
            elif found.hour not in hours:
                found = (found + timedelta(hours=1)).replace(minute=0)
            elif found.minute not in minutes or found.astimezone(UTC) <= moment.astimezone(UTC):
                found += timedelta(minutes=1)
            else:
                return found
        raise BadCron(f"{self.text!r} never fires within {_YEARS_MAX} years.")

    def _is_day(self, moment: datetime) -> bool:
        in_month = moment.day in self._sets[2]
        in_week = moment.isoweekday() % 7 in self._sets[4]
        return in_month or in_week if self._either_day else in_month and in_week


def _values(field: str, bounds: tuple[int, int], name: str) -> frozenset[int]:
    low, high = bounds
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        try:
            if span == "*":
                start, end = low, high
            else:
                start = int(first)
                end = int(last) if last else high if step else start
            stride = int(step) if step else 1
        except ValueError:
            raise BadCron(f"{field!r} is no {name}.") from None
        if not (low <= start <= end <= high and stride > 0):
            raise BadCron(f"{field!r} is no {name}: it goes from {low} to {high}.")
        found.update(range(start, end + 1, stride))
    return frozenset(found)
