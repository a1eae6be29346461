"""Appeals: an emergency or a cause with its words, its goal and its period, edited without a deploy.

Every change is recorded with who made it, in the transaction that makes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from sekkei.clock import Clock
from sekkei.design import Database, First, TransactionFailed, replace
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei_systems import days
from sekkei_systems.chiipochi.design import (
    all_appeal_sums,
    all_appeals,
    all_wordings,
    changes_of_appeals,
    keep_appeal,
    keep_wording,
)
from sekkei_systems.chiipochi.design.models import Appeal, AppealChange, Wording
from sekkei_systems.chiipochi.refusals import BadAppeal, BadWording
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.messages import EDITABLE, SUMS, TEXT_LENGTH_MAX, Letter, Words, are_sums
from sekkei_systems.chiipochi.rules.recipients import Named, of_appeal, open_on
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.texts import Language

KEPT_SECONDS = 10.0
"""How long other processes may not know of a change."""
WORDS_MAX, _WORD_LENGTH, _NAME_LENGTH, _TEXT_LENGTH, _GOAL_MAX = 20, (2, 20), 40, 300, 10**9
_CODE = re.compile(r"[A-Z0-9]{2,20}")
FIELDS = ("ja", "en", "words", "says_ja", "says_en", "amounts", "monthly", "goal", "first", "last")

_SHOWN_MAX = 50


@dataclass(frozen=True, slots=True)
class Raised:
    """An appeal and how far it has come."""

    appeal: Appeal
    amount: int
    count: int

    @property
    def percent(self) -> int:
        return min(100, self.amount * 100 // self.appeal.goal)


@dataclass
class Appeals:
    db: Database
    clock: Clock
    _read: list[Appeal] = field(default_factory=list, init=False)
    _until: float = field(default=float("-inf"), init=False)

    async def known(self) -> list[Appeal]:
        """As they were read a few seconds ago at most."""
        if self.clock.now() >= self._until:
            self._read = await self.db.all(all_appeals())
            self._until = self.clock.now() + KEPT_SECONDS
        return self._read

    async def open(self) -> Sequence[Named]:
        """Those that can be given to today."""
        return [of_appeal(one) for one in open_on(await self.known(), days.today(self.clock))]

    async def one(self, code: str) -> Named | None:
        """The appeal of this recipient, if it can be given to today."""
        return next((found for found in await self.open() if found.code == code), None)

    async def names(self, language: str) -> dict[str, str]:
        return {one.recipient: of_appeal(one).name(language) for one in await self.known()}

    async def raised(self, *, only_open: bool = True) -> list[Raised]:
        found = await self.known()
        wanted = open_on(found, days.today(self.clock)) if only_open else found
        sums = {one.code: one for one in await self.db.all(all_appeal_sums())} if wanted else {}
        return [
            Raised(
                one, sums[one.code].amount if one.code in sums else 0, sums[one.code].count if one.code in sums else 0
            )
            for one in wanted
        ]

    async def changes(self, operator: Operator) -> First[AppealChange]:
        return await self.db.first_items(changes_of_appeals(), _SHOWN_MAX)

    async def keep(self, operator: Operator, wanted: Appeal) -> None:
        """Make or change an appeal; `wanted.version` is the version that was changed, 0 for a new one."""
        _check(wanted)
        before = next((one for one in await self.db.all(all_appeals().consistent()) if one.code == wanted.code), None)
        if (before.version if before else 0) != wanted.version:
            raise Conflict()
        changes = _changes_between(before, wanted, FIELDS)
        if not changes:
            return
        change = AppealChange(at=days.now(self.clock), code=wanted.code, by=operator.id, changes=changes)
        try:
            await self.db.transact(keep_appeal(replace(wanted, version=wanted.version + 1), change))
        except TransactionFailed:
            raise Conflict() from None
        self._until = float("-inf")


def _check(wanted: Appeal) -> None:
    if not _CODE.fullmatch(wanted.code):
        raise BadAppeal(field="code")
    if not wanted.ja.strip() or max(len(wanted.ja), len(wanted.en)) > _NAME_LENGTH:
        raise BadAppeal(field="ja")
    low, high = _WORD_LENGTH
    if not 1 <= len(wanted.words) <= WORDS_MAX or not all(low <= len(word) <= high for word in wanted.words):
        raise BadAppeal(field="words")
    if max(len(wanted.says_ja), len(wanted.says_en)) > _TEXT_LENGTH:
        raise BadAppeal(field="says_ja")
    if not are_sums(wanted.amounts):
        raise BadAppeal(field="amounts")
    if not 1 <= wanted.goal <= _GOAL_MAX:
        raise BadAppeal(field="goal")
    if not date(2025, 1, 1) <= wanted.first <= wanted.last:
        raise BadAppeal(field="last")


def _changes_between(before: object | None, after: object, names: Sequence[str]) -> list[str]:
    """Each as `name: before → after`."""
    found = []
    for name in names:
        old, new = getattr(before, name) if before else None, getattr(after, name)
        if old != new and (before is not None or new):
            found.append(f"{name}: {_shown(old)} → {_shown(new)}")
    return found


def _shown(value: object) -> str:
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else f"{value}"


_WORDING_FIELDS = ("ja", "en", "amounts")


@dataclass
class Wordings:
    """The bot's words and sums as operators change them, without a deploy; each change is on record."""

    db: Database
    clock: Clock
    _read: Words = field(default_factory=Words, init=False)
    _until: float = field(default=float("-inf"), init=False)

    async def known(self) -> Words:
        """As they were read a few seconds ago at most."""
        if self.clock.now() >= self._until:
            found = await self.db.all(all_wordings())
            self._read = Words({one.name: one for one in found})
            self._until = self.clock.now() + KEPT_SECONDS
        return self._read

    async def letter(self, what: str, language: Language) -> Letter:
        return messages.say_letter(what, language, (await self.known()).of(what, language))

    async def keep(self, operator: Operator, wanted: Wording) -> None:
        """Change a text or the sums; `wanted.version` is the version that was changed. Empty means: as it was made."""
        _check_wording(wanted)
        found = {one.name: one for one in await self.db.all(all_wordings().consistent())}
        before = found.get(wanted.name)
        if (before.version if before else 0) != wanted.version:
            raise Conflict()
        changes = _changes_between(before or Wording(name=wanted.name), wanted, _WORDING_FIELDS)
        if not changes:
            return
        change = AppealChange(at=days.now(self.clock), code=f"TEXT-{wanted.name}", by=operator.id, changes=changes)
        try:
            await self.db.transact(keep_wording(replace(wanted, version=wanted.version + 1), change))
        except TransactionFailed:
            raise Conflict() from None
        self._until = float("-inf")


def _check_wording(wanted: Wording) -> None:
    if wanted.name == SUMS:
        if wanted.ja or wanted.en or not are_sums(wanted.amounts):
            raise BadWording(field="amounts")
        return
    if wanted.name not in EDITABLE:
        raise NotThere()
    for name in ("ja", "en"):
        if len(getattr(wanted, name)) > TEXT_LENGTH_MAX:
            raise BadWording(field=name)
    if wanted.amounts:
        raise BadWording(field="amounts")
