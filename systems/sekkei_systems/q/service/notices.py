"""Notices: on all devices of a person, if they want them and not in their quiet hours, and in the inbox of the app."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, Page, Put, TransactionFailed
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.web_push import Keys, is_push_service, vapid_of
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType, Notice, NoticeKind, PushToken, User
from sekkei_systems.q.design.tables import blocks, mutes, notices, push_tokens, unique_token, users
from sekkei_systems.q.refusals import BadToken, NoSuchThing, NoWebPush, QuietHalf
from sekkei_systems.q.rules.notices import (
    PUSH,
    WEB_PUSH,
    Wishes,
    for_browser,
    is_wanted,
    official,
    official_mail,
    quiet_left,
    wishes_of,
)
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.access import Joined, Member
from sekkei_systems.q.service.sight import Sight

AGAIN_AFTER = timedelta(days=7)
LATEST = 30
"""Notices that are looked at before the same is told again."""
Said = Callable[[str], Mapping[str, Any]]
"""A message, given the language."""


@dataclass
class Notices:
    db: Database
    clock: Clock
    outbox: Outbox

    async def wish(self, member: Member, wishes: Wishes) -> Wishes:
        if (wishes.quiet_from is None) != (wishes.quiet_until is None):
            raise QuietHalf(field="quietUntil")
        update = (
            users.update(member.id)
            .set(User.notify_question, wishes.question)
            .set(User.notify_reaction, wishes.reaction)
            .set(User.notify_follow, wishes.follow)
            .set(User.notify_digest, wishes.digest)
            .set(User.quiet_from, wishes.quiet_from)
            .set(User.quiet_until, wishes.quiet_until)
            .set(User.updated_at, days.now(self.clock))
        )
        return wishes_of(await self.db.write(update))

    async def tell(
        self, to: str, about: str, kind: NoticeKind, message: Said, reason: str, inbox: Put[Notice] | None = None
    ) -> int:
        """Tell one user, in their language, what another did; how many devices hear of it. One reason is told once.

        The inbox has it in any case; whether devices ring for it is the user's choice.
        """
        user = await self.db.get(users(to).consistent())
        if user is None or not is_present(user):
            return 0
        # Word of what happened comes a moment later: they may have parted since.
        muted, *apart = await asyncio.gather(
            self.db.get(mutes(to, about).consistent()),
            self.db.get(blocks(to, about).consistent()),
            self.db.get(blocks(about, to).consistent()),
        )
        if muted is not None or any(apart):
            return 0
        if inbox is not None:
            if await self._was_told(inbox.instance):
                return 0
            await self.db.write(inbox)
        if not is_wanted(user, kind):
            return 0
        found = await self.db.all(design.tokens_of(to).consistent())
        for one in found:
            await self.send(user, one, kind, message(user.language), reason, about=about)
        return len(found)

    async def _was_told(self, notice: Notice) -> bool:
        """The same a while ago: nobody rings by doing and undoing it. The very same notice is word that comes twice."""
        latest = await self.db.page(design.notices_of(notice.user_id).consistent(), size=LATEST)
        since = notice.created_at - AGAIN_AFTER
        return any(one.notice_id == notice.notice_id and since < one.created_at < notice.created_at for one in latest)

    async def tell_officially(self, notice: Notice, public_url: str) -> None:
        """Word of what moderators decided: on all devices, and to whom it is about by mail too. Being locked out does
        not keep it from anybody."""
        user = await self.db.get(users(notice.user_id).consistent())
        if user is None:
            return
        for one in await self.db.all(design.tokens_of(user.user_id).consistent()):
            await self.send(user, one, notice.kind, official(notice, user.language), notice.notice_id)
        if notice.kind is NoticeKind.DECISION:
            mail = official_mail(notice, public_url, user.language)
            id = message_id(notice.kind, notice.notice_id, "mail")
            await self.outbox.put("mail", user.email, mail, id=id, people={user.user_id})

    async def send(
        self,
        user: User,
        device: PushToken,
        kind: NoticeKind,
        message: Mapping[str, Any],
        reason: str,
        after: timedelta = timedelta(),
        about: str | None = None,
    ) -> None:
        wait = quiet_left(user, days.now(self.clock)) + after
        people = {user.user_id, about or user.user_id}  # with either of them it goes
        id = message_id(kind, reason, device.token)
        if device.device_type is DeviceType.WEB:
            await self.outbox.put(
                WEB_PUSH, device.token, for_browser(device, message), id=id, after=wait, people=people
            )
            return
        body = {**message, "user": user.user_id}  # whose the device is, is asked again when it goes out
        await self.outbox.put(PUSH, device.token, body, id=id, after=wait, people=people)


def message_id(kind: NoticeKind, reason: str, token: str) -> str:
    """Hashed, so that what was sent does not name people who have left meanwhile."""
    return f"{kind.value}/{hashlib.sha256(f'{reason}#{token}'.encode()).hexdigest()[:40]}"


# The devices that a user hears from.


_TOKEN_TRIES_MAX = 5
_TOKEN = re.compile(
    r"Expo(?:nent)?PushToken\[[A-Za-z0-9_-]{1,100}\]|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
)


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser's subscription, as its PushManager gives it."""

    endpoint: str
    p256dh: str
    auth: str


@dataclass
class Devices:
    db: Database
    clock: Clock
    outbox: Outbox
    settings: Settings

    def __post_init__(self) -> None:
        vapid = vapid_of(self.settings, self.clock)
        self.server_key = vapid.public if vapid else None
        """What browsers subscribe with; None when web push is not set up."""

    async def register(self, member: Member, token: str, kind: DeviceType, sign_in: str | None = None) -> None:
        """A device belongs to whoever signed in on it last: it is taken from whom it was with before. Only while this
        sign-in lasts it is told anything."""
        if kind is DeviceType.WEB or not _TOKEN.fullmatch(token):
            raise BadToken(field="token")
        now = days.now(self.clock)
        await self._keep(
            PushToken(user_id=member.id, token=token, device_type=kind, created_at=now, updated_at=now, session=sign_in)
        )

    async def register_browser(self, member: Member, given: Browser, sign_in: str | None) -> None:
        """Only addresses of push services are taken, and only while this sign-in lasts it is told anything."""
        if self.server_key is None:
            raise NoWebPush()
        try:
            Keys.of(given.p256dh, given.auth)
        except ValueError:
            raise BadToken(field="p256dh") from None
        if not is_push_service(given.endpoint, self.settings.get("push_hosts")):
            raise BadToken(field="endpoint")
        now = days.now(self.clock)
        await self._keep(
            PushToken(
                user_id=member.id,
                token=given.endpoint,
                device_type=DeviceType.WEB,
                created_at=now,
                updated_at=now,
                p256dh=given.p256dh.rstrip("="),
                auth=given.auth.rstrip("="),
                server_key=self.server_key,
                session=sign_in,
            )
        )

    async def _keep(self, mine: PushToken) -> None:
        """What waits for whom it was with before does not go out any more."""
        token, member_id = mine.token, mine.user_id
        for _ in range(_TOKEN_TRIES_MAX):
            holder = await self.db.holder(unique_token, PushToken.token == token)
            actions: list[Action[PushToken, object]] = [push_tokens.put(mine)]
            if holder is not None and holder.user_id != member_id:
                actions.append(push_tokens.delete(holder.user_id, token))
            try:
                await self.db.transact(*actions)
                if len(actions) > 1:
                    await self.outbox.forget(token)
                return
            except TransactionFailed:
                continue  # somebody else registered the same device at this moment
        raise Contended("SK303", "The device is registered by several users at once.")

    async def change_hands(self, account_id: str, token: str) -> None:
        """Somebody signs in on a device: what was somebody else's there ends, though they never signed out."""
        holder = await self.db.holder(unique_token, PushToken.token == token)
        if holder is not None and holder.user_id != account_id:
            await self.db.write(push_tokens.delete(holder.user_id, token))
            await self.outbox.forget(token)

    async def forget(self, member: Member, token: str) -> None:
        try:
            await self.db.transact(push_tokens.delete(member.id, token).must_exist())
        except TransactionFailed as failed:
            raise NoSuchThing() from failed


# The inbox in the app: what somebody was told, newest first, about people as they may see them now.


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
