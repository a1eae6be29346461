"""What weather there is to be: the settings, and three that have names."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from sekkei.errors import ConfigurationError


@dataclass(frozen=True)
class Forecast:
    """Seconds are the most that something may take; chances lie between 0 and 1."""

    index_lag: float = 0.0
    """Seconds by which a global secondary index may be behind its table."""
    base_lag: float = 0.0
    """Seconds by which an eventually consistent read of a table may be behind."""
    throttle: bool = False
    """Whether capacity is limited: the provisioned units, and 1,000 / 3,000 units a second of a partition."""
    throttled: float = 0.0
    """Chance that a call is throttled however little was used, as by a neighbour's load or a table that is growing."""
    unprocessed: float = 0.0
    """Chance, for each item of a batch, to come back unprocessed."""
    conflicts: float = 0.0
    """Chance of a transaction to be cancelled for a conflict; also of a write to a table that has had transactions."""
    in_progress: float = 0.0
    """Chance of a transaction with a token to be told that it is already in progress."""
    latency: float = 0.0
    """Seconds that a call may take longer."""
    lost_responses: float = 0.0
    """Chance of a write to happen and yet to be answered with an internal error."""

    def __post_init__(self) -> None:
        for name in ("index_lag", "base_lag", "latency"):
            if not 0 <= getattr(self, name) <= 24 * 3600:
                raise ConfigurationError(f"{name} must be between 0 seconds and a day, not {getattr(self, name)!r}")
        for name in ("throttled", "unprocessed", "conflicts", "in_progress", "lost_responses"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"{name} is a chance between 0 and 1, not {getattr(self, name)!r}")

    @cached_property
    def is_clear(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


PRESETS = {
    "clear": Forecast(),
    "fog": Forecast(index_lag=2.0, base_lag=0.5),
    "drizzle": Forecast(
        index_lag=0.5, base_lag=0.1, throttle=True, throttled=0.01, unprocessed=0.02, conflicts=0.01, latency=0.01
    ),
    "storm": Forecast(
        index_lag=5.0,
        base_lag=1.0,
        throttle=True,
        throttled=0.05,
        unprocessed=0.2,
        conflicts=0.1,
        in_progress=0.05,
        latency=0.05,
        lost_responses=0.05,
    ),
}
"""Fog hides the present; drizzle is a common day of the cloud; a storm is the worst one."""


def preset(name: str) -> Forecast:
    try:
        return PRESETS[name]
    except KeyError:
        raise ConfigurationError(f"there is no weather {name!r}: choose one of {', '.join(PRESETS)}") from None
