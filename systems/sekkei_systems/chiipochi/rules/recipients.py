"""Whom a donation is for: a prefecture, or an appeal that the organisation has made.

A donation to an appeal carries its name along, so that receipts and books can say it when the appeal is long over.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sekkei.kit.text import folded, half_width
from sekkei_systems.chiipochi.design.models import APPEAL, Appeal, Donation, Pledge
from sekkei_systems.chiipochi.rules.amounts import BEGINNINGS, ENDINGS
from sekkei_systems.chiipochi.texts import Language

# The 47 prefectures, their specialities, and how a word that somebody types finds its prefecture.
#
# They stand in data/prefectures.txt, each speciality in every spelling that people type. One that several prefectures
# have is ambiguous on purpose: the bot asks which one is meant.


_FILE = Path(__file__).parents[1] / "data" / "prefectures.txt"
_CONTAINED_LENGTH_MIN = 3
"""A shorter word is only known when it is all that was typed."""
TEXT_LENGTH_MAX = 100
"""Nobody names a speciality in a longer sentence."""


@dataclass(frozen=True, slots=True)
class Prefecture:
    number: int
    code: str
    ja: str
    """Without 県, 府 or 都: 千葉."""
    en: str
    column: int
    row: int
    other_names: tuple[str, ...]
    """In kana, and its capital."""
    specialities: tuple[tuple[str, ...], ...]
    """Each in its spellings, the first as the bot writes it."""

    @property
    def iso(self) -> str:
        return f"JP-{self.number:02d}"

    @property
    def full(self) -> str:
        """With its suffix: 千葉県."""
        suffix = {"HOKKAIDO": "", "TOKYO": "都", "KYOTO": "府", "OSAKA": "府"}.get(self.code, "県")
        return self.ja + suffix

    def name(self, language: str) -> str:
        return self.full if language == "ja" else self.en


def _parse(paragraph: str) -> Prefecture:
    first, names, *specialities = paragraph.split("\n")
    number, code, ja, en, column, row = first.split()
    spellings = tuple(tuple(line.split(", ")) for line in specialities)
    other_names = tuple(names.removeprefix("= ").split(", "))
    return Prefecture(int(number), code, ja, en, int(column), int(row), other_names, spellings)


def _read(path: Path) -> dict[str, Prefecture]:
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {found.code: found for found in map(_parse, "\n".join(lines).strip().split("\n\n"))}


PREFECTURES = _read(_FILE)

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SPACES = re.compile(r"\s+")


def normalised(text: str) -> str:
    """What two spellings of a word have in common: width, case, kana, spaces and marks around it do not count."""
    text = folded(text)
    text = "".join(chr(ord(letter) - 0x60) if "ァ" <= letter <= "ヶ" else letter for letter in text)
    return _EDGES.sub("", _SPACES.sub("", text))


@functools.cache
def _words() -> dict[str, tuple[str, ...]]:
    """Every known word in its normal form, and the codes of the prefectures that it stands for."""
    found: dict[str, list[str]] = {}
    for prefecture in PREFECTURES.values():
        for word in itertools.chain(_names(prefecture), *prefecture.specialities):
            codes = found.setdefault(normalised(word), [])
            if prefecture.code not in codes:
                codes.append(prefecture.code)
    return {word: tuple(codes) for word, codes in found.items()}


def _names(prefecture: Prefecture) -> Iterator[str]:
    yield from (prefecture.ja, prefecture.full, prefecture.en, prefecture.iso)
    for name in prefecture.other_names:
        yield name
        if not name.isascii():
            yield f"{name}市"
    yield f"{prefecture.ja}市"


@functools.cache
def _found_inside() -> tuple[str, ...]:
    """The words that are known inside a sentence too. An English one is not (there is tea in a team), nor is a name in
    kana (あいち in あいちゃん)."""
    alone = {normalised(name) for prefecture in PREFECTURES.values() for name in prefecture.other_names}
    return tuple(
        word for word in _words() if len(word) >= _CONTAINED_LENGTH_MIN and not word.isascii() and word not in alone
    )


def is_known(text: str) -> bool:
    """Is all of this one known word?"""
    return normalised(text) in _words()


def find(text: str, *, inside: bool = True) -> tuple[Prefecture, ...]:
    """The prefectures that a message may mean: none, one, or several. `inside`: a word within a sentence counts too."""
    word = normalised(text)
    codes = next((codes for form in _forms(text) if (codes := _words().get(normalised(form)))), None)
    if codes is None and inside and len(word) <= TEXT_LENGTH_MAX:
        longest = max((key for key in _found_inside() if key in word), key=len, default="")
        codes = _words().get(longest)
    return tuple(PREFECTURES[code] for code in codes or ())


def _forms(text: str) -> Iterator[str]:
    """What was typed, then with ever fewer of the polite words and particles around it."""
    text = half_width(text[:TEXT_LENGTH_MAX])
    yield text
    while (shorter := BEGINNINGS.sub("", text, count=1)) != text:
        text = shorter
        yield text
    while (shorter := ENDINGS.sub("", text, count=1)) != text:
        text = shorter
        yield text


def pending_text(code: str) -> str:
    """How the state spells a prefecture that waits to be confirmed: CHIBA_pending."""
    return f"{code}_pending"


def monthly_text(code: str) -> str:
    """The same for a monthly donation: CHIBA_monthly."""
    return f"{code}_monthly"


def is_monthly(pending: str) -> bool:
    return pending.endswith("_monthly")


def code_of(pending: str) -> str:
    return pending.removesuffix("_pending").removesuffix("_monthly")


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


# Japan's regions, for whoever looks for a prefecture instead of naming one; their names stand in the texts.


REGIONS: dict[str, tuple[str, ...]] = {
    "hokkaido": ("HOKKAIDO",),
    "tohoku": ("AOMORI", "IWATE", "MIYAGI", "AKITA", "YAMAGATA", "FUKUSHIMA"),
    "kanto": ("IBARAKI", "TOCHIGI", "GUNMA", "SAITAMA", "CHIBA", "TOKYO", "KANAGAWA"),
    "chubu": ("NIIGATA", "TOYAMA", "ISHIKAWA", "FUKUI", "YAMANASHI", "NAGANO", "GIFU", "SHIZUOKA", "AICHI"),
    "kinki": ("MIE", "SHIGA", "KYOTO", "OSAKA", "HYOGO", "NARA", "WAKAYAMA"),
    "chugoku": ("TOTTORI", "SHIMANE", "OKAYAMA", "HIROSHIMA", "YAMAGUCHI"),
    "shikoku": ("TOKUSHIMA", "KAGAWA", "EHIME", "KOCHI"),
    "kyushu": ("FUKUOKA", "SAGA", "NAGASAKI", "KUMAMOTO", "OITA", "MIYAZAKI", "KAGOSHIMA", "OKINAWA"),
}
