"""Accounts, and what vouches for one: password, session, mailed code, personal token, a provider's identity."""

from __future__ import annotations

import asyncio
import re
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, Ref, TransactionFailed, Update
from sekkei.kit.signing import OneTimeCode
from sekkei.kit.text import name_line
from sekkei.runtime import days
from sekkei.runtime.demo_people import Person
from sekkei.runtime.live import Live, of_person
from sekkei.runtime.refusals import Conflict, Gone, Invalid
from sekkei.runtime.settings import Secrets
from sekkei.web.identity.design import (
    Account,
    ApiToken,
    Challenge,
    Session,
    accounts,
    address_changes,
    app_sessions,
    app_sessions_of,
    challenges,
    emails,
    passkeys,
    passkeys_of,
    sessions,
    sessions_of,
    tokens,
    tokens_of,
)
from sekkei.web.identity.digests import digest
from sekkei.web.identity.identities import Identities
from sekkei.web.identity.scopes import scope_of
from sekkei.web.identity.users import User, Via
from sekkei.web.identity.weak_passwords import is_weak

SESSION_LIFE = timedelta(days=30)
_SESSION_RENEWED_AFTER = timedelta(days=1)
_PASSWORD_CHARACTERS = (8, 200)
NAME_CHARACTERS_MAX = 100
_TOKEN_PREFIX = "sekkei_"
_TOKENS_MAX = 50
TOKEN_LIFE = timedelta(days=90)
USED_NOTED_AFTER = timedelta(hours=1)

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_EMAIL = re.compile(rf"[^\x00-\x20\x7f-\U0010ffff@<>()\[\],;:\\\"]{{1,64}}@{_LABEL}(?:\.{_LABEL})+")
"""In ASCII: what is beyond it few mail servers take, and in Japan it is mostly an input method left on."""


class BadEmail(Invalid):
    """Not the form of an e-mail address."""


class BadPassword(Invalid):
    """Too short, or too long to hash."""


class WeakPassword(Invalid):
    """One that somebody would guess first."""


class BadName(Invalid):
    """Empty or too long."""


class WrongPassword(Invalid):
    """The address or the password is wrong; which of them is nobody's business."""


class WrongCode(Invalid):
    """Not the code that was mailed."""


class CodeOver(Gone):
    """Expired, or tried too often."""


class TooManyTokens(Conflict):
    """As many as one person may have."""


def email_of(text: str) -> str:
    """The address in the one form that it is stored in."""
    email = text.strip().lower()
    if len(email) > 254 or not _EMAIL.fullmatch(email):
        raise BadEmail(field="email")
    return email


def name_of(text: str) -> str:
    name = name_line(text)
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
        raise BadName(field="name")
    return name


class Passwords:
    """Argon2id, off the event loop, and few at a time: each takes tens of megabytes on purpose."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turn = asyncio.Semaphore(2)
        self._decoy = ""

    async def hash(self, password: str) -> str:
        low, high = _PASSWORD_CHARACTERS
        if not low <= len(password) <= high:
            raise BadPassword(field="password")
        async with self._turn:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Takes as long for an account without a password as for one with."""
        if stored is None and not self._decoy:
            self._decoy = await self.hash(secrets.token_urlsafe())
        async with self._turn:
            good = await asyncio.to_thread(self._verify, stored or self._decoy, password[: _PASSWORD_CHARACTERS[1] + 1])
        return good and stored is not None

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


class Accounts:
    """What can be done with accounts."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        keys: Secrets,
        passwords: Passwords | None = None,
        live: Live | None = None,
    ) -> None:
        self._db = db
        self._clock = clock
        self._codes = OneTimeCode(keys.signer("one-time codes"))
        self._passwords = passwords or Passwords()
        self._live = live
        self.identities = Identities(db)

    async def get(self, id: str) -> Account | None:
        return await self._db.get(accounts(id).consistent())

    async def by_email(self, email: str) -> Account | None:
        return await self._db.holder(emails, Account.email == email)

    async def create(
        self, email: str | None, name: str, *, password: str | None = None, id: str | None = None
    ) -> Account:
        """A new account; `password` is a hash. One that has the address already is given back as it is."""
        made = Account(
            id=id or self._clock.uuid().replace("-", ""),
            email=email,
            name=name_of(name),
            password=password,
            created_at=days.now(self._clock),
        )
        try:
            return await self._db.write(accounts.create(made))
        except (ConditionFailed, TransactionFailed):
            found = await self.by_email(email) if email else await self.get(made.id)
            if found is None:
                raise
            return found

    async def ensure(self, person: Person) -> Account:
        """The account of somebody in the demo data."""
        return await self.get(person.id) or await self.create(person.email, person.name, id=person.id)

    async def rename(self, id: str, name: str) -> None:
        await self._db.write(accounts.update(id).set(Account.name, name_of(name)))

    async def set_password(self, id: str, password: str, *known: str) -> None:
        """`known` is what others know of them: address and name make no password."""
        _check_strength(password, *known)
        await self._db.write(accounts.update(id).set(Account.password, await self._passwords.hash(password)))

    async def with_password(self, email: str, password: str) -> Account:
        """The account, if the password is its own."""
        found = await self.by_email(email_of(email))
        if not await self._passwords.matches(found.password if found else None, password) or found is None:
            raise WrongPassword(field="password")
        return found

    # Mailed codes

    async def challenge(self, email: str, *, name: str = "", password: str = "", next: str = "/") -> tuple[str, str]:
        """A new challenge: its id, which stays in the browser, and the code, which goes into the mail."""
        email = email_of(email)
        id = secrets.token_urlsafe(18)
        code = self._codes.make()
        _check_strength(password, email, name)
        await self._db.write(
            challenges.create(
                Challenge(
                    id=id,
                    email=email,
                    code_hash=self._codes.mark(code, id),
                    name=name_of(name) if name else None,
                    password=await self._passwords.hash(password) if password else None,
                    next=next,
                    expires=days.now(self._clock) + OneTimeCode.LIFE,
                )
            )
        )
        return id, code

    async def answer(self, id: str, code: str) -> tuple[Account, str]:
        """The account that the code is for, made now if it is new, and where to go next."""
        digits = self._codes.read(code)
        if digits is None:
            raise WrongCode(field="code")
        row, now = challenges.update(id), days.now(self._clock)
        found = await self._codes.tried(self._db, row, Challenge.attempts, Challenge.expires, now)
        if found is None:
            raise CodeOver()
        if not self._codes.matches(found.code_hash, digits, id):
            raise WrongCode(field="code")
        try:
            await self._db.transact(challenges.delete(id).must_exist())  # once, also when an answer is lost
        except TransactionFailed:  # somebody was quicker with the same code
            raise CodeOver() from None
        account = await self.by_email(found.email)
        if account is None:
            account = await self.create(
                found.email, found.name or found.email.partition("@")[0], password=found.password
            )
        return account, found.next

    # Sessions

    async def begin_session(self, account: Account, agent: str) -> str:
        """A new session; what is returned goes into the cookie and is stored nowhere."""
        secret = secrets.token_urlsafe(32)
        now = days.now(self._clock)
        await self._db.write(
            sessions.create(
                Session(
                    account_id=account.id,
                    hash=digest(secret),
                    agent=agent[:200],
                    version=account.token_version,
                    created_at=now,
                    seen_at=now,
                    # Whoever has an authenticator app is only sure to be themselves with a code of it.
                    proved_at=now if account.totp is None else None,
                    expires=now + SESSION_LIFE,
                )
            )
        )
        return f"{account.id}.{secret}"

    async def by_session(self, cookie: str) -> tuple[User, Session] | None:
        """Who a cookie is, or None."""
        account_id, secret = split(cookie)
        if not secret:
            return None
        hash = digest(secret)
        wanted: list[Ref[Any]] = [sessions(account_id, hash).consistent(), accounts(account_id).consistent()]
        session, account = await self._db.get_many(wanted)  # one call: every request asks
        now = days.now(self._clock)
        if account is None or session is None or session.expires <= now or session.version != account.token_version:
            return None
        if now - session.seen_at > _SESSION_RENEWED_AFTER:
            session = await self._renew(session)
        return user_of(account, "session", hash), session

    async def _renew(self, session: Session) -> Session:
        now = days.now(self._clock)
        update = sessions.update(session.account_id, session.hash)
        update = update.set(Session.seen_at, now).set(Session.expires, now + SESSION_LIFE)
        try:
            return await self._db.write(update.when(Session.expires > now))
        except ConditionFailed:
            return session  # signed out meanwhile; the next request will notice

    async def has_session(self, account_id: str, sign_in: str) -> bool:
        """Whether somebody is still signed in there: a browser, an app, or by a token (`User.sign_in`)."""
        kind, _, id = sign_in.rpartition("/")
        kinds: dict[str, Any] = {"": sessions, "app": app_sessions, "token": tokens}
        row: Ref[Any] = kinds[kind](account_id, id)
        found, account = await self._db.get_many([row.consistent(), accounts(account_id).consistent()])
        now = days.now(self._clock)
        if found is None or account is None:
            return False
        if isinstance(found, ApiToken):
            return _is_good(found, account, now)
        return bool(found.expires > now and found.version == account.token_version)

    async def end_session(self, account_id: str, hash: str) -> None:
        await self._db.write(sessions.delete(account_id, hash))
        self.signed_out(account_id)

    def signed_out(self, account_id: str) -> None:
        """Have the open pages of somebody ask anew who they are."""
        if self._live is not None:
            self._live.rights_changed(of_person(account_id))

    def signing_out(self, account_id: str) -> Update[Account]:
        """An action for a transaction: every session, app and token of an account that exists ends. Afterwards call
        `signed_out`."""
        update = accounts.update(account_id).add(Account.token_version, 1)
        return update.set(Account.signed_out_at, days.now(self._clock))

    async def end_all_sessions(self, account_id: str) -> None:
        """Signed out everywhere, apps and tokens too. The version ends them; the rows are only cleared away."""
        await self._db.write(self.signing_out(account_id))
        self.signed_out(account_id)
        await self._clear(account_id)

    async def _clear(self, account_id: str) -> None:
        browsers = await self._db.all(sessions_of(account_id).consistent())
        await self._db.write_many(sessions.delete(one.account_id, one.hash) for one in browsers)
        apps = await self._db.all(app_sessions_of(account_id).consistent())
        await self._db.write_many(app_sessions.delete(one.account_id, one.id) for one in apps)
        held = await self.tokens(account_id)
        await self._db.write_many(tokens.delete(one.account_id, one.hash) for one in held)

    async def forget(self, account_id: str) -> bool:
        """Everything that signing in knows of somebody; False when there was nothing."""
        await self._clear(account_id)
        keys = await self._db.all(passkeys_of(account_id).consistent())
        await self._db.write_many(passkeys.delete(one.account_id, one.credential) for one in keys)
        await self.identities.forget(account_id)
        await self._db.write(address_changes.delete(account_id))
        gone = await self._db.write(accounts.delete(account_id)) is not None
        self.signed_out(account_id)
        return gone

    async def prove(self, account_id: str, hash: str) -> None:
        """Whoever has this session has just shown who they are."""
        update = sessions.update(account_id, hash).set(Session.proved_at, days.now(self._clock))
        try:
            await self._db.write(update)
        except ConditionFailed:
            pass  # signed out meanwhile

    async def sessions(self, account_id: str) -> list[Session]:
        return sorted(await self._db.all(sessions_of(account_id)), key=lambda one: one.seen_at, reverse=True)

    # Personal tokens

    async def make_token(
        self, account_id: str, name: str, scope: str | None = None, life: timedelta = TOKEN_LIFE
    ) -> str:
        """A new personal token, shown this once. Without a scope it may write everywhere."""
        if len(await self.tokens(account_id)) >= _TOKENS_MAX:
            raise TooManyTokens()
        account = await self._db.need(accounts(account_id).consistent())
        secret = secrets.token_urlsafe(32)
        now = days.now(self._clock)
        made = ApiToken(
            account_id=account_id,
            hash=digest(secret),
            name=name_of(name),
            created_at=now,
            scope=scope or scope_of("write"),
            version=account.token_version,
            expires=now + life,
        )
        await self._db.write(tokens.create(made))
        return f"{_TOKEN_PREFIX}{account_id}.{secret}"

    async def tokens(self, account_id: str) -> list[ApiToken]:
        return sorted(await self._db.all(tokens_of(account_id).consistent()), key=lambda one: one.created_at)

    async def delete_token(self, account_id: str, hash: str) -> None:
        await self._db.write(tokens.delete(account_id, hash))

    async def by_token(self, text: str) -> User | None:
        account_id, secret = split(text.removeprefix(_TOKEN_PREFIX))
        if not secret:
            return None
        wanted: list[Ref[Any]] = [tokens(account_id, digest(secret)).consistent(), accounts(account_id).consistent()]
        token, account = await self._db.get_many(wanted)
        now = days.now(self._clock)
        if account is None or token is None or not _is_good(token, account, now):
            return None
        if token.used_at is None or now - token.used_at >= USED_NOTED_AFTER:
            await self._note_use(token, now)
        return replace(user_of(account, "token", f"token/{token.hash}"), scope=token.scope)

    async def _note_use(self, token: ApiToken, now: datetime) -> None:
        update = tokens.update(token.account_id, token.hash).set(ApiToken.used_at, now)
        try:
            await self._db.write(update)
        except ConditionFailed:
            pass  # deleted meanwhile

    # Identities of a provider

    async def by_identity(self, issuer: str, subject: str, email: str | None, name: str) -> User:
        """The account behind an identity. The first time, one with the same verified address, or a new one."""
        known = await self.identities.known(issuer, subject)
        account = await self.get(known.account_id) if known else None
        if account is None:
            account = await self.by_email(email) if email else None
            account = account or await self.create(email, name or "—")
            owner = await self.identities.link(account.id, issuer, subject, known)
            account = (await self.get(owner) if owner != account.id else None) or account
        return user_of(account, "bearer")


def _check_strength(password: str, *known: str) -> None:
    if len(password) >= _PASSWORD_CHARACTERS[0] and is_weak(password[: _PASSWORD_CHARACTERS[1]], *known):
        raise WeakPassword(field="password")


def _is_good(token: ApiToken, account: Account, now: datetime) -> bool:
    if token.expires is not None and token.expires <= now:
        return False
    if token.version is not None:
        return token.version == account.token_version
    # Of before versions: it lives until everything is ended the next time.
    return account.signed_out_at is None or token.created_at > account.signed_out_at


def user_of(account: Account, via: Via, sign_in: str | None = None) -> User:
    return User(
        account.id,
        account.email or "",
        account.name,
        verified=account.email is not None,
        via=via,
        has_authenticator=account.totp is not None,
        recovery_codes=len(account.recovery),
        sign_in=sign_in,
    )


def split(text: str) -> tuple[str, str]:
    """Account and secret out of a cookie or token; empty texts when it is neither."""
    account_id, dot, secret = text.partition(".")
    if not dot or not 0 < len(account_id) <= 64 or not 20 <= len(secret) <= 100 or "#" in account_id:
        return "", ""
    return account_id, secret
