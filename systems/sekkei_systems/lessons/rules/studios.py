"""The studios: their codes and names."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Studio:
    code: str
    name: str


Studios = list[Studio]
DEFAULT_STUDIOS = "gnz=銀座,sby=渋谷,snj=新宿,ykh=横浜"


def studios_of(settings: Settings) -> Studios:
    """`SEKKEI_LESSONS_STUDIOS=gnz=銀座,sby=渋谷`: code and name of each."""
    return studios_in(settings.get("lessons_studios", DEFAULT_STUDIOS))


def studios_in(text: str) -> Studios:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    return [Studio(code.strip(), name.strip() or code.strip()) for code, _, name in pairs]
