"""The studios: their codes and names, and who may run them."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.people import DEMO_PEOPLE
from sekkei.runtime.settings import Settings

DEMO_STAFF = DEMO_PEOPLE[0].email


@dataclass(frozen=True, slots=True)
class Studio:
    code: str
    name: str


DEFAULT_STUDIOS = "gnz=銀座,sby=渋谷,snj=新宿,ykh=横浜"


def studios_of(settings: Settings) -> list[Studio]:
    """`SEKKEI_LESSONS_STUDIOS=gnz=銀座,sby=渋谷`: code and name of each."""
    return studios_in(settings.get("lessons_studios", DEFAULT_STUDIOS))


def studios_in(text: str) -> list[Studio]:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return [Studio(code.strip(), name.strip() or code.strip()) for code, _, name in pairs]


def staff_of(settings: Settings) -> frozenset[str]:
    """`SEKKEI_LESSONS_STAFF=a@example.com,…`: who may change timetables; the first demo person in the demo."""
    given = {part.strip().lower() for part in settings.get("lessons_staff").split(",") if part.strip()}
    return frozenset(given | ({DEMO_STAFF} if settings.demo else set()))
