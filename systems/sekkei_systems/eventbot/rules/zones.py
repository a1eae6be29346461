"""Time zones: what is stored is Japan's time; what a guild writes and reads is its own."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sekkei.runtime.days import JST
from sekkei_systems.eventbot.refusals import BadZone

TOKYO = "Asia/Tokyo"


def zone_of(name: str) -> tzinfo:
    """Raises BadZone. Japan's time has been the same for so long that it needs no tables."""
    if name == TOKYO:
        return JST
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadZone(field="time_zone", name=name[:40]) from None


def zone_label(name: str) -> str:
    """As it stands beside a field."""
    return "JST" if name == TOKYO else name.rpartition("/")[2].replace("_", " ")
