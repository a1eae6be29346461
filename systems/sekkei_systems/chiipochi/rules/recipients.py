"""Whom a donation is for: a prefecture, or an appeal that the organisation has made.

A donation to an appeal carries its name along, so that receipts and books can say it when the appeal is long over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sekkei_systems.chiipochi.design.models import Donation, Pledge
from sekkei_systems.chiipochi.design.models_appeals import APPEAL, Appeal
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES, Prefecture, normalised
from sekkei_systems.chiipochi.texts import Language


@dataclass(frozen=True, slots=True)
class Named(Prefecture):
    """Something else than a prefecture: its name is all of it."""

    says: tuple[str, str] = ("", "")
    amounts: tuple[int, ...] = ()
    """What it offers; the usual sums where it says nothing."""
    monthly: bool = False
    """May it be given to every month?"""

    @property
    def iso(self) -> str:
        return ""

    @property
    def full(self) -> str:
        return self.ja

    def words(self, language: Language) -> str:
        """What the appeal itself says, before the question."""
        return self.says[0] if language == "ja" else self.says[1] or self.says[0]


def of_appeal(appeal: Appeal) -> Named:
    says, offered = (appeal.says_ja, appeal.says_en), tuple(appeal.amounts)
    en, words = appeal.en or appeal.ja, tuple(appeal.words)
    return Named(0, appeal.recipient, appeal.ja, en, 0, 0, words, (), says, offered, appeal.monthly)


def recipient_of(donation: Donation | Pledge) -> Prefecture:
    code = donation.prefecture
    known = PREFECTURES.get(code)
    if known is not None:
        return known
    ja = donation.recipient_ja or code.removeprefix(APPEAL)
    return Named(0, code, ja, donation.recipient_en or ja, 0, 0, (), ())


def offered_by(place: Prefecture, usual: Sequence[int]) -> Sequence[int]:
    """The sums on its card, the first where nobody says one."""
    return (isinstance(place, Named) and place.amounts) or usual


def recipient_name(code: str, language: Language, names: Mapping[str, str] | None = None) -> str:
    found = PREFECTURES.get(code)
    return found.name(language) if found is not None else (names or {}).get(code) or code.removeprefix(APPEAL)


def open_on(appeals: Iterable[Appeal], day: date) -> list[Appeal]:
    return [one for one in appeals if one.first <= day <= one.last]


def meant(text: str, appeals: Iterable[Named]) -> Named | None:
    """The appeal that a message speaks of: one of its words stands in it."""
    said = normalised(text)
    for one in appeals:
        if any(word and word in said for word in map(normalised, one.other_names)):
            return one
    return None
