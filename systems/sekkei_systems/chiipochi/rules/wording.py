"""Which of the bot's texts an operator may put in other words. What is said about money stays ours: it must be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sekkei_systems.chiipochi.design.models_appeals import Wording
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN, AMOUNTS
from sekkei_systems.chiipochi.texts import Language

SUMS = "amounts"
"""The wording that holds the sums which every card offers."""
EDITABLE = (
    "welcome",
    "welcome-back",
    "help",
    "unknown",
    "nothing-pending",
    "cancelled",
    "expired",
    "one-to-one",
    "pledge-how",
    "pledge-stopped",
    "no-pledge",
)
SUMS_MAX, TEXT_LENGTH_MAX = 4, 1_000


@dataclass(frozen=True, slots=True)
class Words:
    """What operators have the bot say; empty where they leave it to us."""

    kept: Mapping[str, Wording] = field(default_factory=dict)

    def of(self, name: str, language: Language) -> str:
        found = self.kept.get(name)
        return "" if found is None else found.ja if language == "ja" else found.en

    @property
    def amounts(self) -> tuple[int, ...]:
        found = self.kept.get(SUMS)
        return tuple(found.amounts) if found is not None and found.amounts else AMOUNTS


def are_sums(given: Sequence[int]) -> bool:
    """Can a card offer these? From the smallest to the largest, each once."""
    within = all(AMOUNT_MIN <= amount <= AMOUNT_MAX for amount in given)
    return len(given) <= SUMS_MAX and within and list(given) == sorted(set(given))
