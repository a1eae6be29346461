"""How people want to be told, and where. An address is used only after it was shown to be theirs: a code that is sent
there is entered here, and for LINE a code that is shown here is typed there."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, time
from secrets import token_hex, token_urlsafe
from urllib.parse import urlsplit

from sekkei.clock import Clock
from sekkei.design import Action, ConditionFailed, Database, Field, TransactionFailed, Update
from sekkei.kit.signing import OneTimeCode, same
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Store
from sekkei.web.identity.accounts import email_of
from sekkei.web.identity.design import Account, emails
from sekkei.web.identity.design import design as identity
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import (
    Contact,
    LineCode,
    LineTries,
    Proof,
    contact,
    contacts,
    line_codes,
    line_tries,
    proofs,
)
from sekkei_systems.lessons.rules.links import Links, Tap
from sekkei_systems.lessons.rules.notices import TOPICS, Notices, addresses_of
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.service.access import Member

_ADDRESS_LENGTH_MAX = 500
CHANNELS = ("mail", "line", "push", "webhook")
_FIELDS: dict[str, Field[Contact, str | None]] = {
    "mail": Contact.email,
    "line": Contact.line_user_id,
    "push": Contact.push_token,
    "webhook": Contact.webhook_url,
}
_PUSH_TOKEN = re.compile(r"Expo(?:nent)?PushToken\[[\w:-]{1,200}\]")


@dataclass(frozen=True, slots=True)
class Preferences:
    """What somebody may choose freely."""

    name: str
    channels: Collection[str]
    muted: Collection[str] = ()
    language: str = "ja"
    quiet_from: time | None = None
    quiet_until: time | None = None


@dataclass
class Contacts:
    """The operations. `address_of_mail` refuses what is no mail address and gives it back in its one form."""

    db: Database
    clock: Clock
    outbox: Outbox
    notices: Notices
    links: Links
    secrets: Secrets

    def __post_init__(self) -> None:
        self._codes = OneTimeCode(self.secrets.signer("lessons codes"))
        self._line_codes = OneTimeCode(self.secrets.signer("lessons LINE codes"), 8)

    async def get(self, user_id: str) -> Contact | None:
        return await self.db.get(contact(user_id).consistent())

    async def ensure(self, user_id: str, name: str, email: str, language: str = "ja") -> Contact:
        """The contact of somebody who is here for the first time; `email` is proven by the account, or empty."""
        found = await self.get(user_id)
        if found is not None:
            return found
        channels = frozenset({"mail"}) if email else frozenset()
        name = name[:NAME_MAX] or user_id
        made = Contact(user_id=user_id, name=name, email=email or None, channels=channels, language=language)
        try:
            return await self.db.write(contacts.create(made))
        except ConditionFailed:
            return await self.get(user_id) or made

    async def prefer(self, member: Member, wanted: Preferences) -> Contact:
        person = await self._person(member.user_id)
        if not 1 <= len(wanted.name.strip()) <= NAME_MAX:
            raise refusals.BadAddress(field="name")
        if not set(wanted.channels) <= set(addresses_of(person)):
            raise refusals.NotProven(field="channels")
        if not set(wanted.muted) <= set(TOPICS) or wanted.language not in ("ja", "en"):
            raise refusals.BadAddress(field="muted")
        update = (
            contacts.update(member.user_id)
            .set(Contact.name, wanted.name.strip())
            .set(Contact.language, wanted.language)
        )
        update = update.set(Contact.channels, frozenset(wanted.channels)).set(Contact.muted, frozenset(wanted.muted))
        hours = (Contact.quiet_from, wanted.quiet_from), (Contact.quiet_until, wanted.quiet_until)
        for field, value in hours:
            update = update.set(field, value) if value is not None else update.remove(field)
        return await self.db.write(update)

    async def _person(self, user_id: str) -> Contact:
        found = await self.get(user_id)
        if found is None:
            raise refusals.NotProven()
        return found

    # Addresses

    async def begin(self, member: Member, channel: str, address: str) -> None:
        """Send a code to an address; nothing else goes there until the code came back."""
        person = await self._person(member.user_id)
        address = self._checked(channel, address)
        code = self._codes.make()
        proof = Proof(
            user_id=member.user_id,
            channel=channel,
            address=address,
            code_hash=self._codes.mark(code, member.user_id, channel),
            ttl=self._now() + OneTimeCode.LIFE,
        )
        ((kind, body),) = self.notices.code(person.language, channel, address, code).items()
        message = self.outbox.message(kind, address, body, id=f"proof/{member.user_id}/{channel}/{token_hex(6)}")
        await self.db.transact(proofs.put(proof), message)

    async def pending(self, user_id: str) -> dict[str, str]:
        """Addresses that wait for their code, by channel."""
        found = await self.db.get_many(proofs(user_id, channel).consistent() for channel in CHANNELS)
        return {one.channel: one.address or "" for one in found if one is not None}

    async def prove(self, member: Member, channel: str, code: str) -> Contact:
        """The code came back: the address is theirs, and used from now on."""
        if channel not in CHANNELS:
            raise refusals.BadAddress(field="channel")
        digits = self._codes.read(code)
        if digits is None:
            raise refusals.WrongCode(field="code")
        row = proofs.update(member.user_id, channel)
        found = await self._codes.tried(self.db, row, Proof.attempts, Proof.ttl, self._now())
        if found is None:
            raise refusals.CodeOver()
        if not self._codes.matches(found.code_hash, digits, member.user_id, channel):
            raise refusals.WrongCode(field="code")
        gone = proofs.delete(member.user_id, channel).when(Proof.code_hash == found.code_hash)
        return await self._take(member.user_id, channel, found.address or "", gone)

    async def begin_line(self, member: Member) -> str:
        """A code that the user sends to the LINE bot."""
        await self._person(member.user_id)
        code = self._line_codes.make()
        hashed = self._line_codes.mark(code)
        await self.db.write(
            line_codes.put(LineCode(code_hash=hashed, user_id=member.user_id, ttl=self._now() + OneTimeCode.LIFE))
        )
        return code

    async def link_line(self, line_user_id: str, text: str) -> Contact | None:
        """What somebody typed to the bot; None when it is no code that waits for it, or they tried too many."""
        digits = self._line_codes.read(text)
        if digits is None or not await self._may_try(line_user_id):
            return None
        hashed = self._line_codes.mark(digits)
        found = await self.db.get(line_codes(hashed).consistent())
        if found is None or found.ttl <= self._now():
            return None
        gone = line_codes.delete(hashed).must_exist()
        try:
            return await self._take(found.user_id, "line", line_user_id, gone)
        except refusals.CodeOver:
            return None

    async def _may_try(self, line_user_id: str) -> bool:
        """Counts a try, before it is looked at; so many are allowed in the time that a code lives."""
        now = self._now()
        tried = line_tries.upsert(line_user_id, int(now.timestamp() // OneTimeCode.LIFE.total_seconds()))
        tried = tried.add(LineTries.attempts, 1).set(LineTries.ttl, now + OneTimeCode.LIFE)
        try:
            await self.db.write(tried.when(LineTries.attempts.absent() | (LineTries.attempts < OneTimeCode.TRIES_MAX)))
        except ConditionFailed:
            return False
        return True

    async def forget(self, member: Member, channel: str) -> Contact:
        """Not to be reached there any more."""
        if channel not in _FIELDS:
            raise refusals.BadAddress(field="channel")
        address = addresses_of(await self._person(member.user_id)).get(channel, "")
        update = self._change(member.user_id).remove(_FIELDS[channel]).discard(Contact.channels, [channel])
        changed = await self.db.write(update)
        await self.outbox.forget(address)  # what waits for it, and what it was told
        return changed

    async def _take(self, user_id: str, channel: str, address: str, gone: Action[object, object]) -> Contact:
        person = await self._person(user_id)
        update = self._change(user_id).set(_FIELDS[channel], address).add(Contact.channels, [channel])
        try:
            await self.db.transact(update, gone)
        except TransactionFailed:
            raise refusals.CodeOver() from None
        return await self.get(user_id) or person

    def _change(self, user_id: str) -> Update[Contact]:
        return contacts.update(user_id).when(Contact.name.exists())

    def _checked(self, channel: str, address: str) -> str:
        if channel == "mail":
            return email_of(address)
        address = address.strip()
        good = len(address) <= _ADDRESS_LENGTH_MAX and address.isprintable()
        if channel == "push" and good and _PUSH_TOKEN.fullmatch(address):
            return address
        if channel == "webhook" and good and _is_web_address(address):
            return address
        raise refusals.BadAddress(field="address")

    # Links

    def calendar_link_of(self, person: Contact) -> str | None:
        """The token of the calendar feed; None when there is none."""
        return self.links.calendar(person.user_id, person.calendar_token) if person.calendar_token else None

    async def renew_calendar(self, member: Member) -> str:
        """A new feed; the old address is void."""
        secret = token_urlsafe(12)
        await self._person(member.user_id)
        await self.db.write(self._change(member.user_id).set(Contact.calendar_token, secret))
        return self.links.calendar(member.user_id, secret)

    async def stop_calendar(self, member: Member) -> None:
        await self._person(member.user_id)
        await self.db.write(self._change(member.user_id).remove(Contact.calendar_token))

    async def reader_of_calendar(self, token: str) -> str:
        """Whose calendar a token opens."""
        user_id, secret = self.links.read_calendar(token)
        person = await self.get(user_id)
        if person is None or not person.calendar_token:
            raise refusals.LinkOver()
        if not same(person.calendar_token, secret):
            raise refusals.LinkOver()
        return user_id

    async def void_links(self, member: Member) -> None:
        """What was sent so far opens nothing any more."""
        await self._person(member.user_id)
        await self.db.write(self._change(member.user_id).set(Contact.links_from, self._now()))

    async def tapped(self, token: str) -> Tap:
        """What a link out of a notice is for, if it is still good."""
        tap = self.links.read_tap(token, self._now())
        person = await self.get(tap.user_id)
        if person is not None and person.links_from is not None and tap.made_at < person.links_from.timestamp():
            raise refusals.LinkOver()
        return tap

    def _now(self) -> datetime:
        return days.now(self.clock)


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme == "https" and bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        return False


# Whom the desk means by a mail address: whose account has it.


@dataclass
class Members:
    contacts: Contacts
    store: Store
    settings: Settings
    clock: Clock

    def __post_init__(self) -> None:
        self._accounts = identity.open(self.store, env=self.settings.env, clock=self.clock)

    async def by_mail(self, email: str) -> Contact:
        """Refuses an address that no account has; who has never been here gets a contact."""
        account = await self._accounts.holder(emails, Account.email == email_of(email))
        if account is None:
            raise refusals.NoSuchMember(field="email")
        return await self.contacts.ensure(account.id, account.name, account.email or "")
