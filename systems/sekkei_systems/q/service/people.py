"""Joining, the profile, finding a person by name, and leaving."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, TransactionFailed, UniqueKey, Update
from sekkei.runtime.schedules import Schedules
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.q.design import picture_of
from sekkei_systems.q.design.models import ProfileImage, ProfilePart, ProfileReview, User
from sekkei_systems.q.design.tables import profile_images, profile_reviews, unique_app_id, unique_keys, users
from sekkei_systems.q.refusals import (
    AdminsStay,
    AlreadyJoined,
    AppIdSet,
    BadBirthDate,
    Banned,
    NameReserved,
    NoAddress,
    NoSuchThing,
    NoSuchUser,
    PictureRefused,
    Taken,
    TermsNeeded,
    TooYoung,
    WrongState,
)
from sekkei_systems.q.rules import names, pictures, times, writing
from sekkei_systems.q.rules.settings import is_first
from sekkei_systems.q.rules.sight import Relation
from sekkei_systems.q.rules.writing import TEXTS, WISHES, Part
from sekkei_systems.q.rules.writing import Profile as Profile
from sekkei_systems.q.service.access import Access, Joined, Member
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.sight import Sight
from sekkei_systems.q.service.words import ForbiddenWords

_AGE_MAX = 130
_DIGEST = re.compile(r"[0-9a-f]{16}")


def admin_names(name: str) -> list[str]:
    """The markers of a name that an administrator goes by: one, or two where it can be taken for two."""
    return [f"ADMIN-NAME#{form}" for form in sorted(names.skeletons(name))]


def taken_down(digest: str) -> str:
    """The marker of a picture that moderators removed."""
    return f"PICTURE#{digest}"


def reserved(app_id: str) -> str:
    """The marker that stays when its owner is gone, so that nobody can take their name."""
    return f"RESERVED#APPID#{app_id}"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever is signed in, as the way in knows them."""

    id: str
    email: str
    name: str
    language: str = "ja"
    terms: str | None = None
    """The version that they have agreed to."""


@dataclass
class People:
    db: Database
    clock: Clock
    settings: Settings
    access: Access
    sight: Sight
    following: Following
    words: ForbiddenWords
    _easel: pictures.Easel = field(init=False, default_factory=pictures.Easel)

    def __post_init__(self) -> None:
        self._banned = self.settings.secrets.signer("q-banned")
        self._reviews_pictures = not is_first(self.settings, "q_pictures", "show", "hide")
        """Whether a new picture is its owner's alone until somebody has looked at it."""

    async def join(self, visitor: Visitor, birth_date: date) -> User:
        """Makes the user's row, with the mail address that only one user can have."""
        if not visitor.email:
            raise NoAddress()
        self._check_terms(visitor.terms)
        years = times.age(birth_date, days.today(self.clock))
        if not 0 <= years <= _AGE_MAX:
            raise BadBirthDate(field="birthDate")
        await self._check_age(visitor.id, years)
        for marker in self._banned_addresses(visitor.email):
            if await self.db.get(unique_keys(marker).consistent()) is not None:
                raise Banned()
        now = days.now(self.clock)
        name = writing.text_of(visitor.name, writing.DISPLAY_NAME_MAX, "displayName") if visitor.name.strip() else None
        made = User(
            user_id=visitor.id,
            email=visitor.email.lower(),
            display_name=None if name is None else await self._free_name(visitor.id, name),
            terms_version=visitor.terms if self.access.terms else None,
            terms_at=now if self.access.terms else None,
            name_flagged=name is not None and await self.words.flags(name),
            birth_date=birth_date,
            language=visitor.language,
            created_at=now,
            updated_at=now,
        )
        try:
            joined = await self.db.write(users.create(made))
        except ConditionFailed as failed:
            raise Taken(field="email") if failed.taken else AlreadyJoined() from failed
        if made.name_flagged:
            await self.db.write(self._to_review(made.user_id, ProfilePart.NAME))
        return joined

    def banned_address(self, email: str) -> str:
        """The marker of somebody who left while banned. Only whoever has the address and our secret can tell whose."""
        return self._banned_addresses(email)[0]

    def _banned_addresses(self, email: str) -> list[str]:
        return [f"BANNED#{mark}" for mark in self._banned.marks(email.lower())]

    def _check_terms(self, version: str | None) -> None:
        if self.access.terms is not None and version != self.access.terms.version:
            raise TermsNeeded(field="terms")

    async def agree(self, joined: Joined, version: str) -> User:
        """To the terms in force; of another version nobody can know what it says."""
        self._check_terms(version)
        now = days.now(self.clock)
        return await self.db.write(
            users.update(joined.id).set(User.terms_version, version).set(User.terms_at, now).keeping_version()
        )

    async def _check_age(self, who: str, years: int) -> None:
        """Whoever was refused cannot try another day at once. Only that they were is kept, for a day."""
        key = f"TOO-YOUNG#{hashlib.sha256(who.encode()).hexdigest()}"
        refused, now = await self.db.get(unique_keys(key).consistent()), days.now(self.clock)
        if years < times.AGE_MIN:
            until = (now + times.REFUSED_FOR).isoformat()
            await self.db.write(unique_keys.put(UniqueKey(value=key, owner={"until": until})))
        elif refused is None or datetime.fromisoformat(refused.owner["until"]) <= now:
            return
        raise TooYoung(field="birthDate")

    async def _free_name(self, who: str, name: str, field: str = "displayName") -> str:
        """A name that neither speaks for Q. nor looks like an administrator's."""
        marks = dict.fromkeys([*admin_names(name), *admin_names(names.without_remark(name))])
        held = [await self.db.get(unique_keys(mark).consistent()) for mark in marks]
        if names.is_reserved(name) or any(one is not None and one.owner["userId"] != who for one in held):
            raise NameReserved(field=field)
        return name

    async def _free_id(self, who: str, name: str, field: str) -> str:
        """An ID or user name stands in links and lists: with a forbidden word it is not taken at all."""
        if await self.words.flags(name.replace("_", " ")) or await self.words.flags(name.replace("_", "")):
            raise NameReserved(field=field)
        return await self._free_name(who, name, field)

    async def choose_app_id(self, member: Member, text: str) -> User:
        """Once, and nobody else's, not even that of somebody who has left."""
        app_id = await self._free_id(member.id, writing.app_id_of(text), "appId")
        chosen = users.update(member.id).set(User.app_id, app_id).set(User.updated_at, days.now(self.clock))
        chosen = chosen.when(User.app_id.absent())
        keep = unique_keys.create(UniqueKey(value=reserved(app_id), owner={"userId": member.id}))
        try:
            await self.db.transact(chosen, keep)
        except TransactionFailed as failed:
            reason, old = failed.reason(chosen), failed.old(chosen)
            if old is not None and old.app_id == app_id:
                return old  # chosen before, perhaps a moment ago with the word of it lost
            if reason is not None and reason.taken is None:
                raise AppIdSet(field="appId") from failed
            raise Taken(field="appId") from failed
        return await self._user(member)

    async def choose_username(self, member: Member, text: str) -> User:
        username = await self._free_id(member.id, writing.username_of(text), "username")
        update = users.update(member.id).set(User.username, username).set(User.updated_at, days.now(self.clock))
        try:
            return await self.db.write(update)
        except ConditionFailed as failed:
            raise Taken(field="username") from failed

    async def change(self, member: Member, profile: Profile) -> User:
        update = users.update(member.id).set(User.updated_at, days.now(self.clock))
        also: list[Action[Any, Any]] = []
        for part, kind in TEXTS.items():
            if (entered := getattr(profile, kind.field.name)) is None:
                continue
            text = _text(kind, entered)
            if part is ProfilePart.NAME:
                also += await self._named(member, text)
            if text != getattr(member.user, kind.field.name):
                flagged, review = await self._judged(member.id, part, text)
                update, also = update.set(kind.flag, flagged), [*also, review]
            update = update.set(kind.field, text)
        for name in WISHES:
            if (value := getattr(profile, name)) is not None:
                update = update.set(getattr(User, name), value)
        if not also and profile.is_private is not False:
            return await self.db.write(update)
        await self.db.transact(update, *also)
        if profile.is_private is False:
            await self.following.settle_requests(member.id)
        return await self._user(member)

    async def _named(self, member: Member, name: str | None) -> list[Action[Any, Any]]:
        if name is not None and name != member.user.display_name:
            await self._free_name(member.id, name)
        return known_as(member.user, name) if member.user.is_admin else []

    async def _judged(self, who: str, part: ProfilePart, text: str | None) -> tuple[bool, Action[Any, Any]]:
        """Whether it holds a forbidden word; then it waits for a look, and otherwise what waited does no longer."""
        flagged = text is not None and await self.words.flags(text)
        return flagged, self._to_review(who, part) if flagged else profile_reviews.delete(who, part)

    def _to_review(self, who: str, part: ProfilePart) -> Action[Any, Any]:
        return profile_reviews.put(ProfileReview(user_id=who, part=part, since=days.now(self.clock)))

    async def _user(self, member: Member) -> User:
        return await self.db.need(users(member.id).consistent())

    async def find(self, member: Member, app_id: str) -> tuple[User, Relation]:
        """Somebody by the ID that they gave you; private accounts can be found too."""
        found = await self.db.holder(unique_app_id, User.app_id == writing.app_id_of(app_id.lstrip("@").lower()))
        if found is None:
            raise NoSuchUser()
        return await self.sight.person(member.id, found.user_id)

    async def show(self, member: Member, other: str) -> tuple[User, Relation]:
        return await self.sight.person(member.id, other)

    # Pictures

    async def set_picture(self, member: Member, content: bytes) -> User:
        """Moderators look at every new picture; one that they took down does not come back."""
        clean = await self._easel.draw(content)
        digest = hashlib.sha256(clean).hexdigest()[:16]
        if await self.db.get(unique_keys(taken_down(digest)).consistent()) is not None:
            raise PictureRefused(field="content")
        now = days.now(self.clock)
        kind = pictures.CONTENT_TYPE
        image = ProfileImage(user_id=member.id, digest=digest, content_type=kind, content=clean, updated_at=now)
        url = self._picture_url(member.id, f"/q/pictures/{member.id}/{digest}")
        await self.db.transact(
            profile_images.put(image),
            url.set(User.picture_flagged, self._reviews_pictures),
            self._to_review(member.id, ProfilePart.PICTURE),
        )
        return await self._user(member)

    async def remove_picture(self, member: Member) -> User:
        none = self._picture_url(member.id, None).set(User.picture_flagged, False)
        gone = profile_images.delete(member.id), profile_reviews.delete(member.id, ProfilePart.PICTURE)
        await self.db.transact(none, *gone)
        return await self._user(member)

    def _picture_url(self, who: str, url: str | None) -> Update[User]:
        update = users.update(who).set(User.profile_image_url, url)
        return update.set(User.updated_at, days.now(self.clock))

    async def picture(self, member: Member, other: str, digest: str) -> ProfileImage:
        person, _ = await self.show(member, other)
        is_shown = person.profile_image_url is not None and _DIGEST.fullmatch(digest)
        found = await self.db.get(picture_of(other)) if is_shown else None
        if found is None or found.digest != digest:
            raise NoSuchThing()
        return found


def _text(part: Part, text: str) -> str | None:
    return writing.text_of(text, part.most, part.field.stored, lines=part.lines) if text.strip() else None


def known_as(admin: User, name: str | None) -> list[Action[Any, Any]]:
    """An administrator's old name is free again, and the new one theirs."""
    kept = admin_names(name) if name else []
    return [*free_name(admin.display_name, but=kept), *keep_name(admin.user_id, name)]


def keep_name(who: str, name: str | None) -> list[Action[Any, Any]]:
    marks = admin_names(name) if name else []
    return [unique_keys.put(UniqueKey(value=mark, owner={"userId": who})) for mark in marks]


def free_name(name: str | None, but: Collection[str] = ()) -> list[Action[Any, Any]]:
    marks = admin_names(name) if name else []
    return [unique_keys.delete(mark) for mark in marks if mark not in but]


# Withdrawal: asked for, held for a week in which it can be cancelled, and then carried out by a job.


JOB = "begin-withdrawal"


def schedule_of(user: str) -> str:
    return f"q/withdraw/{user}"


@dataclass
class Leaving:
    db: Database
    clock: Clock
    schedules: Schedules

    async def ask(self, member: Joined, leaves_house: bool = False) -> datetime:
        """From now on nobody sees the user any more. Returns when everything will be deleted. Whoever is banned may
        leave, too.

        With `leaves_house` the account that they sign in with goes too. Where other systems share it, it stays.
        """
        if member.user.is_admin:
            raise AdminsStay()
        if member.user.deleting_at is not None:
            raise WrongState()  # before the schedule is put: asking again puts nothing off
        now = days.now(self.clock)
        # The schedule first: one that fires for somebody who does not leave does nothing, but one that was lost
        # between two writes would keep a leaver's data for ever.
        await self.schedules.put(schedule_of(member.id), JOB, {"user_id": member.id}, at=now + times.GRACE)
        update = users.update(member.id).set(User.deleting_at, now).set(User.updated_at, now)
        update = update.set(User.leaves_house, leaves_house)
        try:  # transactions, whose tokens know their own work when an answer is lost
            await self.db.transact(update.when(User.is_admin.is_(False), User.deleting_at.absent()))
        except TransactionFailed as failed:
            raise WrongState() from failed
        return now + times.GRACE

    async def cancel(self, joined: Joined) -> User:
        """Until the job has begun; then it is too late."""
        now = days.now(self.clock)
        update = users.update(joined.id).set(User.deleting_at, None).set(User.updated_at, now)
        try:
            await self.db.transact(update.when(User.deleting_at > now - times.GRACE))
        except TransactionFailed as failed:
            raise WrongState() from failed
        await self.schedules.delete(schedule_of(joined.id))
        return await self.db.need(users(joined.id).consistent())
