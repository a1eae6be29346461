"""The bot's words and sums as operators change them, without a deploy; each change is on record."""

from __future__ import annotations

from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, replace
from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, NotThere
from sekkei_systems.chiipochi.design import all_wordings, keep_wording
from sekkei_systems.chiipochi.design.models import AppealChange, Wording
from sekkei_systems.chiipochi.refusals import BadWording
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.messages import EDITABLE, SUMS, TEXT_LENGTH_MAX, Letter, Words, are_sums
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.appeals import KEPT_SECONDS, changes_between
from sekkei_systems.chiipochi.texts import Language

FIELDS = ("ja", "en", "amounts")


@dataclass
class Wordings:
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
        _check(wanted)
        found = {one.name: one for one in await self.db.all(all_wordings().consistent())}
        before = found.get(wanted.name)
        if (before.version if before else 0) != wanted.version:
            raise Conflict()
        changes = changes_between(before or Wording(name=wanted.name), wanted, FIELDS)
        if not changes:
            return
        change = AppealChange(at=days.now(self.clock), code=f"TEXT-{wanted.name}", by=operator.id, changes=changes)
        try:
            await self.db.transact(keep_wording(replace(wanted, version=wanted.version + 1), change))
        except TransactionFailed:
            raise Conflict() from None
        self._until = float("-inf")


def _check(wanted: Wording) -> None:
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
