"""Signing in without a browser: an access token for a quarter of an hour, and a refresh token that is good once.

The access token is a JWT of our own (HS256). A refresh token is exchanged for a new pair; only its hash is stored. One
that comes a second time was copied by somebody, so the whole sign-in ends and everybody who has a copy is out. An
account's `token_version` ends everything at once: sessions, sign-ins of apps, access tokens.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.kit.signing import same
from sekkei.runtime import days
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.settings import Settings
from sekkei.web.identity.accounts import Accounts, user_of
from sekkei.web.identity.bearer import BadBearer
from sekkei.web.identity.design import Account, AppSession, app_sessions, app_sessions_of
from sekkei.web.identity.digests import digest
from sekkei.web.identity.users import User

ACCESS_LIFE = timedelta(minutes=15)
_REFRESH_LIFE = timedelta(days=60)
APPS_MAX = 10
"""Signing in on one more ends the one that was not used for longest."""
ALGORITHM = "HS256"
AUDIENCE = "app"


class BadRefresh(Refusal):
    status = 401


@dataclass(frozen=True, slots=True)
class Pair:
    """What an app keeps; neither is stored here."""

    access: str
    refresh: str
    expires_in: int


class AppSessions:
    def __init__(self, db: Database, clock: Clock, settings: Settings, accounts: Accounts) -> None:
        self._db = db
        self._clock = clock
        self._accounts = accounts
        self._issuer = settings.public_url
        self._key = settings.secrets.key("access tokens of apps")

    async def begin(self, account: Account, app: str) -> Pair:
        """A sign-in of an app."""
        await self._end_oldest(account.id)
        secret = secrets.token_urlsafe(32)
        now = days.now(self._clock)
        made = AppSession(
            account_id=account.id,
            id=secrets.token_urlsafe(12),
            hash=digest(secret),
            app=app,
            version=account.token_version,
            created_at=now,
            seen_at=now,
            expires=now + _REFRESH_LIFE,
        )
        await self._db.write(app_sessions.create(made))
        return self._pair(made, secret)

    async def refresh(self, token: str) -> tuple[Account, Pair]:
        """A new pair for a refresh token, which is thereby used up."""
        account_id, id, secret = _split(token)
        found = await self._db.get(app_sessions(account_id, id).consistent()) if secret else None
        account = await self._accounts.get(account_id) if found else None
        now = days.now(self._clock)
        if found is None or account is None or found.expires <= now:
            raise BadRefresh()
        given = digest(secret)
        if not same(given, found.hash) or found.version != account.token_version:
            await self.end(account_id, id)
            raise BadRefresh()
        fresh = secrets.token_urlsafe(32)
        update = app_sessions.update(account_id, id).set(AppSession.hash, digest(fresh))
        update = update.set(AppSession.seen_at, now).set(AppSession.expires, now + _REFRESH_LIFE)
        update = update.known_by(AppSession.hash).when(AppSession.hash == given)
        try:
            await self._db.write(update)
        except ConditionFailed:
            await self.end(account_id, id)
            raise BadRefresh() from None
        return account, self._pair(found, fresh)

    def _pair(self, session: AppSession, secret: str) -> Pair:
        import jwt  # see bearer.py

        now = int(self._clock.now())
        claims = {
            "iss": self._issuer,
            "aud": AUDIENCE,
            "sub": session.account_id,
            "sid": session.id,
            "ver": session.version,
            "iat": now,
            "exp": now + int(ACCESS_LIFE.total_seconds()),
        }
        access = jwt.encode(claims, self._key, ALGORITHM)
        return Pair(access, f"{session.account_id}.{session.id}.{secret}", int(ACCESS_LIFE.total_seconds()))

    def is_ours(self, token: str) -> bool:
        """Of the two kinds of JWT; those of a provider are signed with a key pair."""
        import jwt

        try:
            return bool(jwt.get_unverified_header(token).get("alg") == ALGORITHM)
        except jwt.PyJWTError:
            return False

    async def user(self, token: str) -> User:
        """Who an access token is. The sign-in must still be there, so that an end of it holds at once."""
        claims = self._claims(token)
        account_id, id = str(claims["sub"]), str(claims["sid"])
        account, session = await asyncio.gather(
            self._accounts.get(account_id), self._db.get(app_sessions(account_id, id).consistent())
        )
        if account is None or session is None or claims["ver"] != account.token_version:
            raise BadBearer()
        return user_of(account, "app", f"app/{id}")

    def _claims(self, token: str) -> dict[str, Any]:
        import jwt

        by_our_clock = {"verify_exp": False, "verify_iat": False, "require": ["exp", "iss", "aud", "sub", "sid", "ver"]}
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=self._issuer,
                options=by_our_clock,  # type: ignore[arg-type]
            )
        except jwt.PyJWTError:
            raise BadBearer() from None
        if claims["exp"] <= self._clock.now():
            raise BadBearer()
        return claims

    async def of(self, account_id: str) -> list[AppSession]:
        found = await self._db.all(app_sessions_of(account_id).consistent())
        return sorted(found, key=lambda one: one.seen_at, reverse=True)

    async def end(self, account_id: str, id: str) -> None:
        await self._db.write(app_sessions.delete(account_id, id))

    async def end_of(self, access: str) -> None:
        """Sign out with the access token in hand."""
        claims = self._claims(access)
        await self.end(str(claims["sub"]), str(claims["sid"]))

    async def _end_oldest(self, account_id: str) -> None:
        for one in (await self.of(account_id))[APPS_MAX - 1 :]:
            await self.end(account_id, one.id)


def _split(token: str) -> tuple[str, str, str]:
    """Account, sign-in and secret; empty texts when it is no refresh token."""
    parts = token.split(".")
    if len(parts) != 3 or not all(0 < len(part) <= 100 and "#" not in part for part in parts):
        return "", "", ""
    return parts[0], parts[1], parts[2]
