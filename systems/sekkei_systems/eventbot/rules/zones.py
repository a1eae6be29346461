"""Time zones: what is stored is Japan's time; what a guild writes and reads is its own."""

from __future__ import annotations

from datetime import tzinfo

from sekkei.kit import zones
from sekkei_systems.days import JST, ZONE
from sekkei_systems.eventbot.refusals import BadZone


def zone_of(name: str) -> tzinfo:
    """Raises BadZone. Japan's time has been the same for so long that it needs no tables."""
    if name == ZONE:
        return JST
    try:
        return zones.zone_of(name)
    except ValueError:
        raise BadZone(field="time_zone", name=name[:40]) from None


def zone_label(name: str) -> str:
    """As it stands beside a field."""
    return "JST" if name == ZONE else name.rpartition("/")[2].replace("_", " ")
