"""Authenticator apps: a second proof of who somebody is. Not needed to sign in, but to do what is hard to undo.

An app's key is derived from a random salt and the operator's secret. Only the salt is stored, so that whoever reads the
table has no key. With the app come ten recovery codes, each good once, for a user who loses it. They are shown once and
stored as marks. They are digits, as the codes of an app are: one field takes both.
"""

from __future__ import annotations

import secrets

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.kit.codes import read_code
from sekkei.kit.signing import OneTimeCode
from sekkei.runtime import totp
from sekkei.runtime.refusals import Gone, TooMany
from sekkei.runtime.settings import Secrets
from sekkei.web.identity.accounts import WrongCode
from sekkei.web.identity.design import Account, accounts

KEY_BYTES = 20
RECOVERY_COUNT, _RECOVERY_DIGITS = 10, 12
WINDOW_SECONDS = 600
TRIES_MAX = 5
"""In one window: of a million codes two or three are good at a time."""


class NotOffered(Gone):
    """No set-up is under way."""


class Authenticators:
    def __init__(self, db: Database, clock: Clock, keys: Secrets) -> None:
        self._db = db
        self._clock = clock
        self._apps = keys.signer("authenticator apps")
        self._recovery = OneTimeCode(keys.signer("recovery codes"), _RECOVERY_DIGITS)

    def _key(self, account_id: str, salt: str) -> bytes:
        return self._keys(account_id, salt)[0]

    def _keys(self, account_id: str, salt: str) -> list[bytes]:
        """The key of an app, and those that it has where it was set up under an earlier secret."""
        return [digest[:KEY_BYTES] for digest in self._apps.digests(account_id, salt)]

    def _step(self, account_id: str, salt: str, code: str, after: int = -1) -> int | None:
        now = self._clock.now()
        steps = [totp.matching_step(key, code, now, after) for key in self._keys(account_id, salt)]
        return max((step for step in steps if step is not None), default=None)

    async def offer(self, account_id: str) -> bytes:
        """A key for an app to read; in force once a code of it has come back."""
        salt = secrets.token_urlsafe(18)
        await self._db.write(accounts.update(account_id).set(Account.totp_offered, salt))
        return self._key(account_id, salt)

    async def offered(self, account_id: str) -> bytes:
        """The key that was offered last, to be shown once more."""
        salt = (await self._db.need(accounts(account_id).consistent())).totp_offered
        if salt is None:
            raise NotOffered()
        return self._key(account_id, salt)

    async def confirm(self, account_id: str, code: str) -> list[str]:
        """The app is in force from now on; the recovery codes are its own, those of an app before end."""
        account = await self._db.need(accounts(account_id).consistent())
        if account.totp_offered is None:
            raise NotOffered()
        step = self._step(account_id, account.totp_offered, code)
        if step is None:
            raise WrongCode(field="code")
        codes = [self._recovery.make() for _ in range(RECOVERY_COUNT)]
        update = accounts.update(account_id).set(Account.totp, account.totp_offered).set(Account.totp_step, step)
        update = update.set(Account.recovery, self._stored(account_id, codes)).known_by(Account.recovery)
        update = update.remove(Account.totp_offered).when(Account.totp_offered == account.totp_offered)
        try:
            await self._db.write(update)
        except ConditionFailed:
            raise NotOffered() from None
        return ["-".join(code[at : at + 4] for at in range(0, _RECOVERY_DIGITS, 4)) for code in codes]

    def _stored(self, account_id: str, codes: list[str]) -> frozenset[str]:
        return frozenset(self._recovery.mark(code, account_id) for code in codes)

    async def renew(self, account_id: str) -> list[str]:
        """Ten new recovery codes; those of before end."""
        codes = [self._recovery.make() for _ in range(RECOVERY_COUNT)]
        update = accounts.update(account_id).set(Account.recovery, self._stored(account_id, codes))
        try:
            await self._db.write(update.when(Account.totp.exists()))
        except ConditionFailed:
            raise NotOffered() from None
        return ["-".join(code[at : at + 4] for at in range(0, _RECOVERY_DIGITS, 4)) for code in codes]

    async def check(self, account_id: str, code: str) -> int | None:
        """Raises unless it is a code of the app, or one for recovery: then how many of those are left.

        Each is good once, and only so many are looked at.
        """
        spare = self._recovery.read(code)
        if spare is None and read_code(code) is None:
            raise WrongCode(field="code")
        account = await self._counted(await self._db.need(accounts(account_id).consistent()))
        if spare is not None:
            return await self._spend(account, spare)
        await self._check_app(account, code)
        return None

    async def _spend(self, account: Account, code: str) -> int:
        marks = [mark for mark in account.recovery if self._recovery.matches(mark, code, account.id)]
        hash = marks[0] if marks else self._recovery.mark(code, account.id)
        used = accounts.update(account.id).discard(Account.recovery, {hash}).remove(Account.totp_tried)
        try:
            after = await self._db.write(used.when(Account.totp.exists(), Account.recovery.contains(hash)), once=True)
        except ConditionFailed:
            raise WrongCode(field="code") from None
        return len(after.recovery)

    async def _check_app(self, account: Account, code: str) -> None:
        account_id = account.id
        step = self._step(account_id, account.totp, code, account.totp_step) if account.totp else None
        if step is None:
            raise WrongCode(field="code")
        used = accounts.update(account_id).set(Account.totp_step, step).remove(Account.totp_tried)
        try:
            await self._db.write(used.when(Account.totp == account.totp, Account.totp_step < step), once=True)
        except ConditionFailed:
            raise WrongCode(field="code") from None

    async def _counted(self, account: Account) -> Account:
        """Counts a try before it is compared, in the store: so guesses at one moment and in several processes count."""
        window, gone = divmod(int(self._clock.now()), WINDOW_SECONDS)
        when, _, count = (account.totp_tried or "").partition("/")
        tries = int(count) if when == str(window) else 0
        if tries >= TRIES_MAX:
            raise TooMany(WINDOW_SECONDS - gone)
        update = accounts.update(account.id).set(Account.totp_tried, f"{window}/{tries + 1}")
        try:
            return await self._db.write(update.when(Account.totp_tried == account.totp_tried), once=True)
        except ConditionFailed:
            raise TooMany(1) from None  # somebody else tries at this moment

    async def remove(self, account_id: str) -> None:
        update = accounts.update(account_id).remove(Account.totp).remove(Account.totp_offered)
        await self._db.write(update.remove(Account.recovery).set(Account.totp_step, -1))
