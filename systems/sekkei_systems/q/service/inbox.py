"""The inbox in the app: what somebody was told, newest first, about people as they may see them now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sekkei.clock import Clock
from sekkei.design import Database, Page, Put
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.models_added import Notice, NoticeKind
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.design.tables_added import notices
from sekkei_systems.q.service.access import Joined
from sekkei_systems.q.service.visibility import Visibility as Sight

PAGE = 30


@dataclass(frozen=True, slots=True)
class Told:
    notice: Notice
    about: User | None
    is_new: bool


def entry(
    to: str,
    kind: NoticeKind,
    said: str,
    reason: str,
    at: datetime,
    *,
    about: str | None = None,
    values: Mapping[str, str] | None = None,
    url: str = "/q/",
) -> Put[Notice]:
    """A notice, to join the transaction of its cause. The same reason at the same moment is the same notice."""
    return notices.put(
        Notice(
            user_id=to,
            created_at=at,
            notice_id=hashlib.sha256(f"{kind.value}#{reason}".encode()).hexdigest()[:24],
            kind=kind,
            about_id=about,
            said=said,
            values=dict(values) if values else None,
            url=url,
        )
    )


@dataclass
class Inbox:
    db: Database
    clock: Clock
    sight: Sight

    async def page(self, joined: Joined, after: str | None = None) -> Page[Told]:
        """Without what tells of people who are not there for the reader any more."""
        page = await self.db.page(design.notices_of(joined.id).consistent(), size=PAGE, after=after)
        return Page(await self._shown(joined, page), page.cursor)

    async def unread(self, joined: Joined) -> int:
        """How many of the latest are new, of those that are shown."""
        page = await self.db.page(design.notices_of(joined.id), size=PAGE)
        return len(await self._shown(joined, [one for one in page if _is_new(joined, one)]))

    async def _shown(self, joined: Joined, found: Iterable[Notice]) -> list[Told]:
        told = list(found)
        ids = list(dict.fromkeys(one.about_id for one in told if one.about_id))
        apart = await self.sight.apart_from(joined.id) if ids else frozenset()
        people = await self.sight.users(joined.id, [id for id in ids if id not in apart]) if ids else {}
        shown = [one for one in told if one.about_id is None or one.about_id in people]
        return [Told(one, people.get(one.about_id or ""), _is_new(joined, one)) for one in shown]

    async def read(self, joined: Joined) -> None:
        await self.db.write(users.update(joined.id).set(User.told_until, days.now(self.clock)).keeping_version())


def _is_new(joined: Joined, notice: Notice) -> bool:
    return joined.user.told_until is None or notice.created_at > joined.user.told_until
