"""Lessons of every week: on which days they are to be made."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any, Generic

from msgspec import UNSET, UnsetType

from sekkei_systems.lessons.design import WeeklyLesson
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.timetable import LessonDraft, T, WholeLesson, spelt, values_of

MADE_BY = "weekly"


class WeeklyFields(WholeLesson[T], Generic[T], kw_only=True, frozen=True, rename=spelt):
    """What people enter about a lesson of every week."""

    first_day: date
    last_day: date | UnsetType | None = UNSET

    @property
    def said(self) -> dict[str, Any]:
        values = {**values_of(self), "first_day": self.first_day, "last_day": self.last_day}
        return {name: value for name, value in values.items() if value is not UNSET}


def days_to_make(weekly: WeeklyLesson, holidays: Collection[date], today: date, last: date) -> list[date]:
    """Its days from today until `last` that were not made yet: each is made once, so that what was moved or taken
    away since stays so."""
    first = max(today, weekly.first_day, *([weekly.made_until + timedelta(days=1)] if weekly.made_until else []))
    last = min(last, weekly.last_day or last)
    every = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [day for day in every if takes_place(weekly, holidays, day)]


def days_gained(before: WeeklyLesson, after: WeeklyLesson, today: date) -> list[date]:
    """Of the days that are behind `made_until`, those that only the new form of a template has."""
    count = (before.made_until - today).days + 1 if before.made_until else 0
    every = (today + timedelta(days=number) for number in range(count))
    return [day for day in every if takes_place(after, (), day) and not takes_place(before, (), day)]


def takes_place(weekly: WeeklyLesson, holidays: Collection[date], day: date) -> bool:
    if day.weekday() != weekly.weekday or day in holidays or day.isoformat() in weekly.skipped:
        return False
    return weekly.first_day <= day and (weekly.last_day is None or day <= weekly.last_day)


def draft_on(weekly: WeeklyLesson, day: date) -> LessonDraft:
    return LessonDraft(
        Slot(weekly.studio_code, day, weekly.start_time),
        **values_of(weekly),
        made_by=MADE_BY,
    )
