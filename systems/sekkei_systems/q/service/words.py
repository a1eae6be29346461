"""The forbidden words as they are now: read once a minute, and again at once after a change made here."""

from __future__ import annotations

from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei_systems.q.design import all_ng_words
from sekkei_systems.q.rules.ng_words import Filter

_FRESH_SECONDS = 60.0


@dataclass
class ForbiddenWords:
    db: Database
    clock: Clock
    _filter: Filter = field(init=False, default_factory=lambda: Filter(()))
    _made_of: list[tuple[str, bool]] = field(init=False, default_factory=list)
    _read_at: float = field(init=False, default=float("-inf"))

    async def current(self) -> Filter:
        """The automaton; every process has the words of at most a minute ago."""
        now = self.clock.now()
        if not 0 <= now - self._read_at < _FRESH_SECONDS:
            found = await self.db.all(all_ng_words().consistent())
            words = sorted((one.original or one.word, one.is_allowed) for one in found)
            if words != self._made_of:
                self._filter = Filter(*([word for word, allowed in words if allowed is kind] for kind in (False, True)))
                self._made_of = words
            self._read_at = now
        return self._filter

    async def flags(self, text: str) -> bool:
        return (await self.current()).finds(text) is not None

    def forget(self) -> None:
        """They have changed; read them again before the next text."""
        self._read_at = float("-inf")
