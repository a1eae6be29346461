"""Passkeys (WebAuthn): signing in with the fingerprint, face or code that opens one's device.

What a browser signs is bound to this site's name, so a page that only looks like ours gets nothing. The device must
check who holds it (user verification). A browser accepts names only, not addresses: on a site whose public address is
an IP address there are no passkeys (use http://localhost).

The name is that of `SEKKEI_PUBLIC_URL`; whoever changes it makes everybody's passkeys useless.
"""

from __future__ import annotations

import ipaddress
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import msgspec
import orjson
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database
from sekkei.kit.typed import Line, Token
from sekkei.runtime import days
from sekkei.runtime.refusals import Conflict, Invalid, NotThere
from sekkei.runtime.settings import Settings
from sekkei.web import reading
from sekkei.web.forms import form
from sekkei.web.identity.accounts import name_of
from sekkei.web.identity.design import (
    Account,
    Ceremony,
    Passkey,
    accounts,
    ceremonies,
    passkeys,
    passkeys_of,
)
from sekkei.web.identity.notices import tell
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.sign_in import PER_ADDRESS, begin_session
from sekkei.web.identity.users import User, in_person
from sekkei.web.limits import Rate, address
from sekkei.web.rendering import flash, local_path, redirect
from sekkei.web.texts import t

if TYPE_CHECKING:
    from sekkei.web.shell import Shell

_CEREMONY_LIFE = timedelta(minutes=5)
_ASKED_PER_ADDRESS = Rate.per_minute(60)
"""Every question is a row in the store."""
_PASSKEYS_MAX = 20
Short = Annotated[Token, Meta(max_length=300)]


class BadPasskey(Invalid):
    """Not signed by a passkey that is known here, or too late."""


class TooManyPasskeys(Conflict):
    """As many as one person may have."""


class NoPasskeysHere(NotThere):
    """The site's address is not a name."""


class Passkeys:
    def __init__(self, db: Database, clock: Clock, settings: Settings) -> None:
        self._db, self._clock = db, clock
        parts = urlsplit(settings.public_url)
        self._name = parts.hostname or ""
        self._origin = f"{parts.scheme}://{parts.netloc}"

    @property
    def possible(self) -> bool:
        try:
            ipaddress.ip_address(self._name)
        except ValueError:
            return bool(self._name)
        return False

    async def of(self, account_id: str) -> list[Passkey]:
        return sorted(await self._db.all(passkeys_of(account_id).consistent()), key=lambda one: one.created_at)

    async def delete(self, account_id: str, credential: str) -> None:
        await self._db.write(passkeys.delete(account_id, credential))

    async def _begin(self, account_id: str | None) -> tuple[str, bytes]:
        if not self.possible:
            raise NoPasskeysHere()
        id, challenge = secrets.token_urlsafe(18), secrets.token_bytes(32)
        expires = days.now(self._clock) + _CEREMONY_LIFE
        made = Ceremony(id=id, account_id=account_id, challenge=challenge.hex(), expires=expires)
        await self._db.write(ceremonies.create(made))
        return id, challenge

    async def _end(self, id: str, account_id: str | None) -> bytes:
        """The question that was asked; nobody gets it twice."""
        try:
            gone = await self._db.write(ceremonies.delete(id).must_exist(), once=True)
        except ConditionFailed:
            raise BadPasskey() from None
        if gone is None or gone.account_id != account_id or gone.expires <= days.now(self._clock):
            raise BadPasskey()
        return bytes.fromhex(gone.challenge)

    async def offer(self, user: User) -> dict[str, Any]:
        """What a browser needs to make a passkey for this person."""
        from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
        from webauthn.helpers import structs

        held = await self.of(user.id)
        if len(held) >= _PASSKEYS_MAX:
            raise TooManyPasskeys()
        id, challenge = await self._begin(user.id)
        options = generate_registration_options(
            rp_id=self._name,
            rp_name="Sekkei",
            user_id=user.id.encode(),
            user_name=user.email or user.name,
            user_display_name=user.name,
            challenge=challenge,
            exclude_credentials=[
                structs.PublicKeyCredentialDescriptor(id=base64url_to_bytes(one.credential)) for one in held
            ],
            authenticator_selection=structs.AuthenticatorSelectionCriteria(
                resident_key=structs.ResidentKeyRequirement.REQUIRED,
                user_verification=structs.UserVerificationRequirement.REQUIRED,
            ),
        )
        return {"ceremony": id, "options": orjson.loads(options_to_json(options))}

    async def add(self, user: User, ceremony: str, credential: dict[str, Any], name: str) -> None:
        from webauthn import verify_registration_response
        from webauthn.helpers import bytes_to_base64url
        from webauthn.helpers.exceptions import WebAuthnException

        challenge = await self._end(ceremony, user.id)
        try:
            verified = verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=self._name,
                expected_origin=self._origin,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError, KeyError, TypeError):
            raise BadPasskey() from None
        made = Passkey(
            account_id=user.id,
            credential=bytes_to_base64url(verified.credential_id),
            public_key=bytes_to_base64url(verified.credential_public_key),
            sign_count=verified.sign_count,
            name=name_of(name),
            created_at=days.now(self._clock),
        )
        await self._db.write(passkeys.create(made))

    async def ask(self) -> dict[str, Any]:
        """What a browser needs to sign in with any passkey of this site."""
        from webauthn import generate_authentication_options, options_to_json
        from webauthn.helpers.structs import UserVerificationRequirement

        id, challenge = await self._begin(None)
        needed = UserVerificationRequirement.REQUIRED
        options = generate_authentication_options(rp_id=self._name, challenge=challenge, user_verification=needed)
        return {"ceremony": id, "options": orjson.loads(options_to_json(options))}

    async def account(self, ceremony: str, credential: dict[str, Any]) -> Account:
        """Whose passkey has signed."""
        challenge = await self._end(ceremony, None)
        passkey = await self._named(credential)
        count = self._verified(passkey, challenge, credential)
        update = passkeys.update(passkey.account_id, passkey.credential).set(Passkey.sign_count, count)
        update = update.set(Passkey.used_at, days.now(self._clock))
        account = await self._db.get(accounts(passkey.account_id).consistent())
        try:
            await self._db.write(update.when(Passkey.sign_count == passkey.sign_count), once=True)
        except ConditionFailed:
            raise BadPasskey() from None
        if account is None:
            raise BadPasskey()
        return account

    async def _named(self, credential: dict[str, Any]) -> Passkey:
        from webauthn import base64url_to_bytes

        try:
            account_id = base64url_to_bytes(credential["response"]["userHandle"]).decode()
            id = str(credential["id"])
        except (KeyError, TypeError, ValueError):
            raise BadPasskey() from None
        good = 0 < len(account_id) <= 64 and 0 < len(id) <= 1400 and "#" not in account_id + id
        found = await self._db.get(passkeys(account_id, id).consistent()) if good else None
        if found is None:
            raise BadPasskey()
        return found

    def _verified(self, passkey: Passkey, challenge: bytes, credential: dict[str, Any]) -> int:
        from webauthn import base64url_to_bytes, verify_authentication_response
        from webauthn.helpers.exceptions import WebAuthnException

        try:
            verified = verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=self._name,
                expected_origin=self._origin,
                credential_public_key=base64url_to_bytes(passkey.public_key),
                credential_current_sign_count=passkey.sign_count,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError, KeyError, TypeError):
            raise BadPasskey() from None
        return int(verified.new_sign_count)


class Registration(Struct):
    ceremony: Short
    credential: dict[str, Any]
    name: Annotated[str, Line(300)]


class Assertion(Struct):
    ceremony: Short
    credential: dict[str, Any]
    next: Short = "/"


class Credential(Struct):
    credential: Annotated[Token, Meta(max_length=1400)]


_REGISTRATION = msgspec.json.Decoder(Registration)
_ASSERTION = msgspec.json.Decoder(Assertion)


def routes() -> list[Route]:
    return [
        Route("/account/passkeys/offer", offer, methods=["POST"]),
        Route("/account/passkeys", add, methods=["POST"]),
        Route("/account/passkeys/delete", delete, methods=["POST"]),
        Route("/sign-in/passkey/ask", ask, methods=["POST"]),
        Route("/sign-in/passkey", sign_in, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def offer(request: Request) -> Response:
    """A passkey opens the account, so it needs a proof."""
    user = in_person(request)
    must_be_sure(request)
    return JSONResponse(await _shell(request).passkeys.offer(user))


async def add(request: Request) -> Response:
    user = in_person(request)
    must_be_sure(request)
    given: Registration = await reading.body(request, _REGISTRATION)
    await _shell(request).passkeys.add(user, given.ceremony, given.credential, given.name)
    await tell(request, user, "passkey")
    flash(request, t(request, "account.saved"))
    return JSONResponse({"next": "/account"}, 201)


async def delete(request: Request) -> Response:
    user = in_person(request)
    must_be_sure(request)
    await _shell(request).passkeys.delete(user.id, (await form(request, Credential)).credential)
    await tell(request, user, "passkey-gone")
    flash(request, t(request, "account.saved"))
    return redirect(request, "/account")


async def ask(request: Request) -> Response:
    shell = _shell(request)
    shell.limits.take(_ASKED_PER_ADDRESS, "passkey", address(request))
    return JSONResponse(await shell.passkeys.ask())


async def sign_in(request: Request) -> Response:
    shell = _shell(request)
    shell.limits.take(PER_ADDRESS, "sign-in", address(request))
    given: Assertion = await reading.body(request, _ASSERTION)
    account = await shell.passkeys.account(given.ceremony, given.credential)
    shell.limits.give_back(PER_ADDRESS, "sign-in", address(request))
    await begin_session(request, account)
    return JSONResponse({"next": local_path(given.next)})
