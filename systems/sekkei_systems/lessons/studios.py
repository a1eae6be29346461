"""The studios: their codes and names, and who may run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekkei.runtime.demo_people import DEMO_PEOPLE
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


@dataclass(frozen=True, slots=True)
class Staff:
    """Who runs which studio, by proven mail address; under "" those who run all."""

    by_studio: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def runs(self, email: str, studio_code: str) -> bool:
        places = (self.by_studio.get(code, frozenset()) for code in ("", studio_code))
        return bool(email) and any(email in place for place in places)


def staff_of(settings: Settings) -> Staff:
    """`SEKKEI_LESSONS_STAFF=a@example.com,gnz:b@example.com`: a runs all studios, b one. In the demo, its first person
    runs all."""
    given: dict[str, set[str]] = {"": {DEMO_STAFF} if settings.demo else set()}
    for part in settings.get("lessons_staff").split(","):
        code, _, email = part.rpartition(":")
        if email.strip():
            given.setdefault(code.strip(), set()).add(email.strip().lower())
    return Staff({code: frozenset(emails) for code, emails in given.items()})
