"""The morning's mail; and addresses that mail does not reach, or whose owners do not want it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from urllib.parse import urlencode

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.kit.signing import Signer
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.settings import Settings
from sekkei_systems.tasks.design import MailBlock, User, mail_blocks, users
from sekkei_systems.tasks.rules import mails
from sekkei_systems.tasks.rules.filters import lateness
from sekkei_systems.tasks.service.people import People

_DETAIL_MAX = 300


def email_hash(email: str) -> str:
    return hashlib.sha256(email.casefold().encode()).hexdigest()


@dataclass
class MailBlocks:
    db: Database
    clock: Clock

    async def block(self, email: str, reason: str, detail: str = "") -> None:
        """Again is fine: the latest reason stands."""
        made = MailBlock(
            email_hash=email_hash(email),
            email=email,
            reason=reason,
            detail=detail[:_DETAIL_MAX],
            at=days.now(self.clock),
        )
        await self.db.write(mail_blocks.put(made))

    async def of(self, email: str) -> MailBlock | None:
        return await self.db.get(mail_blocks(email_hash(email)).consistent())

    async def unblock(self, email: str) -> None:
        await self.db.write(mail_blocks.delete(email_hash(email)))


# The morning's mail: what of somebody's work is late, in all their teams. One link in it stops it.


@dataclass
class Digest:
    db: Database
    outbox: Outbox
    people: People
    blocks: MailBlocks
    settings: Settings

    @cached_property
    def _signer(self) -> Signer:
        return self.settings.secrets.signer("tasks digest")

    @property
    def _url(self) -> str:
        return f"{self.settings.public_url}/tasks"

    async def send(self, user_id: str, today: date) -> bool:
        """One mail a day, and none without a reason; False when there is none to send."""
        id = f"digest/{today}/{user_id}"
        user = await self.db.get(users(user_id).consistent())
        if user is None or not user.email or not user.digest or await self.outbox.get(id) is not None:
            return False
        late = [task for task in await self.people.work(user_id) if lateness(task, today) is not None]
        if not late or await self.blocks.of(user.email) is not None:
            return False
        names = {team.team_id: team.team_name for team in await self.people.teams(user_id)}
        body = mails.digest(user.name, late, names, today, self._url, self.stop_link(user_id))
        return await self.outbox.put("mail", user.email, body, id=id)

    def stop_link(self, user_id: str) -> str:
        return f"{self._url}/digest/stop?{urlencode({'user': user_id, 'token': self._signer.mark(user_id)})}"

    def check(self, user_id: str, token: str) -> None:
        """Raises NotThere for a link that is not ours."""
        if not self._signer.matches(token, user_id):
            raise NotThere()

    async def want(self, user_id: str, wanted: bool) -> None:
        try:
            await self.db.write(users.update(user_id).set(User.digest, wanted))
        except ConditionFailed:
            return  # somebody who is not here gets none anyway
