"""Joining, the profile, and finding people."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import date

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, TransactionFailed, UniqueKey, Update
from sekkei.runtime import days
from sekkei_systems.q.design import picture_of
from sekkei_systems.q.design.models import ProfileImage, User, Visibility
from sekkei_systems.q.design.tables import profile_images, unique_app_id, unique_keys, users
from sekkei_systems.q.refusals import (
    AlreadyJoined,
    AppIdSet,
    BadBirthDate,
    NoAddress,
    NoSuchThing,
    NoSuchUser,
    Taken,
    TooYoung,
)
from sekkei_systems.q.rules import pictures, times, writing
from sekkei_systems.q.rules.sight import Relation
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.visibility import Visibility as Sight

AGE_MAX = 130
_DIGEST = re.compile(r"[0-9a-f]{16}")


def reserved(app_id: str) -> str:
    """The marker that stays when its owner is gone, so that nobody can take their name."""
    return f"RESERVED#APPID#{app_id}"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever is signed in, as the way in knows them."""

    id: str
    email: str
    name: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What may be changed at any time; None leaves it as it is, an empty text takes it away."""

    display_name: str | None = None
    bio: str | None = None
    is_private: bool | None = None
    visibility: Visibility | None = None
    answers_first: bool | None = None


class People:
    def __init__(self, db: Database, clock: Clock, sight: Sight) -> None:
        self._db = db
        self._clock = clock
        self._sight = sight
        self._easel = pictures.Easel()

    async def join(self, visitor: Visitor, birth_date: date) -> User:
        """Makes the user's row, with the mail address that only one user can have."""
        if not visitor.email:
            raise NoAddress()
        years = times.age(birth_date, days.today(self._clock))
        if not 0 <= years <= AGE_MAX:
            raise BadBirthDate(field="birthDate")
        if years < times.AGE_MIN:
            raise TooYoung(field="birthDate")
        now = days.now(self._clock)
        name = writing.text_of(visitor.name, writing.DISPLAY_NAME_MAX, "displayName") if visitor.name.strip() else None
        made = User(
            user_id=visitor.id,
            email=visitor.email.lower(),
            display_name=name,
            birth_date=birth_date,
            created_at=now,
            updated_at=now,
        )
        try:
            return await self._db.write(users.create(made))
        except ConditionFailed as failed:
            raise Taken(field="email") if failed.taken else AlreadyJoined() from failed

    async def choose_app_id(self, member: Member, text: str) -> User:
        """Once, and nobody else's, not even that of somebody who has left."""
        app_id = writing.app_id_of(text)
        chosen = users.update(member.id).set(User.app_id, app_id).set(User.updated_at, days.now(self._clock))
        chosen = chosen.when(User.app_id.absent())
        keep = unique_keys.create(UniqueKey(value=reserved(app_id), owner={"userId": member.id}))
        try:
            await self._db.transact(chosen, keep)
        except TransactionFailed as failed:
            reason, old = failed.reason(chosen), failed.old(chosen)
            if old is not None and old.app_id == app_id:
                return old  # chosen before, perhaps a moment ago with the word of it lost
            if reason is not None and reason.taken is None:
                raise AppIdSet(field="appId") from failed
            raise Taken(field="appId") from failed
        return await self._user(member)

    async def choose_username(self, member: Member, text: str) -> User:
        username = writing.username_of(text)
        update = users.update(member.id).set(User.username, username).set(User.updated_at, days.now(self._clock))
        try:
            return await self._db.write(update)
        except ConditionFailed as failed:
            raise Taken(field="username") from failed

    async def change(self, member: Member, profile: Profile) -> User:
        update = users.update(member.id).set(User.updated_at, days.now(self._clock))
        if profile.display_name is not None:
            update = update.set(
                User.display_name, _given(profile.display_name, writing.DISPLAY_NAME_MAX, "displayName")
            )
        if profile.bio is not None:
            update = update.set(User.bio, _given(profile.bio, writing.BIO_MAX, "bio", lines=True))
        if profile.is_private is not None:
            update = update.set(User.is_private, profile.is_private)
        if profile.visibility is not None:
            update = update.set(User.visibility_type, profile.visibility)
        if profile.answers_first is not None:
            update = update.set(User.answers_first, profile.answers_first)
        return await self._db.write(update)

    async def _user(self, member: Member) -> User:
        return await self._db.need(users(member.id).consistent())

    async def find(self, member: Member, app_id: str) -> tuple[User, Relation]:
        """Somebody by the ID that they gave you; private accounts can be found too."""
        found = await self._db.holder(unique_app_id, User.app_id == writing.app_id_of(app_id.lstrip("@").lower()))
        if found is None:
            raise NoSuchUser()
        return await self._sight.person(member.id, found.user_id)

    async def show(self, member: Member, other: str) -> tuple[User, Relation]:
        return await self._sight.person(member.id, other)

    # Pictures

    async def set_picture(self, member: Member, content: bytes) -> User:
        clean = await self._easel.draw(content)
        digest = hashlib.sha256(clean).hexdigest()[:16]
        now = days.now(self._clock)
        kind = pictures.CONTENT_TYPE
        image = ProfileImage(user_id=member.id, digest=digest, content_type=kind, content=clean, updated_at=now)
        await self._db.transact(
            profile_images.put(image), self._picture_url(member.id, f"/q/pictures/{member.id}/{digest}")
        )
        return await self._user(member)

    async def remove_picture(self, member: Member) -> User:
        await self._db.transact(profile_images.delete(member.id), self._picture_url(member.id, None))
        return await self._user(member)

    def _picture_url(self, who: str, url: str | None) -> Update[User]:
        update = users.update(who).set(User.profile_image_url, url)
        return update.set(User.updated_at, days.now(self._clock))

    async def picture(self, member: Member, other: str, digest: str) -> ProfileImage:
        await self.show(member, other)
        found = await self._db.get(picture_of(other)) if _DIGEST.fullmatch(digest) else None
        if found is None or found.digest != digest:
            raise NoSuchThing()
        return found


def _given(text: str, most: int, field: str, *, lines: bool = False) -> str | None:
    return writing.text_of(text, most, field, lines=lines) if text.strip() else None
