"""What an engine is told when it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekkei.clock import SYSTEM, Clock
from sekkei.engine.storage.catalogue import DEFAULT_REGION


@dataclass(frozen=True, slots=True)
class Settings:
    """How one engine behaves; the same for its readers and its writer."""

    clock: Clock = SYSTEM
    region: str = DEFAULT_REGION
    s3_folder: Path = Path("s3")
    """Where the buckets of exports and imports lie, each a folder."""
    housekeeping_seconds: float | None = 30.0
    """Real time between two rounds of housekeeping; None leaves them to `Engine.sweep`."""
    ttl_delay_seconds: float = 0.0
    """How long an item outlives its time."""
    ttl_deletes_max: int = 10_000
    """Expired items deleted in one round."""


DEFAULTS = Settings()
