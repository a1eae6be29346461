"""The rules of every studio: its own where it has some, those of the environment for the rest.

They are read again every few seconds, so that a booking does not pay for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import StudioRules, rules_of, studio_rules
from sekkei_systems.lessons.rules.policy import MINUTES, Fairness, Policy, policy_with
from sekkei_systems.lessons.rules.studios import Studios
from sekkei_systems.lessons.service.access import Staff

KEPT_SECONDS = 10.0
_NUMBERS_MAX = 366
_MINUTES_MAX = 7 * 24 * 60


@dataclass
class Rulebook:
    db: Database
    clock: Clock
    everywhere: Policy
    _kept: dict[str, tuple[float, StudioRules]] = field(default_factory=dict, init=False)

    @property
    def usual(self) -> dict[str, int]:
        """Minutes that hold where a studio has none of its own."""
        return {name: int(getattr(self.everywhere, name) / timedelta(minutes=1)) for name in MINUTES}

    async def rules(self, studio_code: str) -> StudioRules:
        read_at, kept = self._kept.get(studio_code, (float("-inf"), None))
        if kept is None or self.clock.now() - read_at > KEPT_SECONDS:
            kept = await self.db.get(rules_of(studio_code))
            kept = kept or StudioRules(studio_code=studio_code, updated_at=days.now(self.clock))
            self._kept[studio_code] = self.clock.now(), kept
        return kept

    async def policy(self, studio_code: str) -> Policy:
        rules = await self.rules(studio_code)
        return policy_with(self.everywhere, rules.fairness, rules.minutes)

    async def longest_reminder(self, studios: Studios) -> timedelta:
        return max([self.everywhere.remind_before, *[(await self.policy(one.code)).remind_before for one in studios]])

    async def save(self, staff: Staff, wanted: StudioRules) -> StudioRules:
        """All of a studio's rules at once."""
        assert wanted.studio_code == staff.managing().studio.code
        _check(wanted)
        saved = await self.db.write(studio_rules.put(wanted))
        self._kept.pop(wanted.studio_code, None)
        return saved


def _check(wanted: StudioRules) -> None:
    counts = {
        "opens_days": wanted.opens_days,
        "per_week": wanted.per_week,
        "no_shows_max": wanted.no_shows_max,
        "no_show_days": wanted.no_show_days,
        "blocked_days": wanted.blocked_days,
    }
    for name, number in counts.items():
        if number is not None and not (0 if name == "opens_days" else 1) <= number <= _NUMBERS_MAX:
            raise refusals.BadRules(field=name)
    if wanted.fairness is not None and wanted.fairness not in {one.value for one in Fairness}:
        raise refusals.BadRules(field="fairness")
    for name, number in wanted.minutes.items():
        if name not in MINUTES or not 0 <= number <= _MINUTES_MAX:
            raise refusals.BadRules(field=name)
