"""The web floor's own table: accounts, sessions, one-time codes, personal tokens, identities of other providers.

Secrets are stored as hashes only. A session and a token carry the account's id in front of the secret, so that the
account and the row that vouches for it are read in one call.
"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Key, Query, attr, epoch, iso, model, part
from sekkei.runtime.settings import shared

design = Design(
    "web",
    ja="ウェブ: アカウント・セッション・確認コード・APIトークン",
    en="Web: accounts, sessions, one-time codes, personal tokens",
)

table = design.table(
    "sekkei-web",
    "PK",
    "SK",
    discriminator="type",
    ttl="expires",
    added=True,
    ja="サインインに必要なもの",
    en="What signing in needs",
)
table.shared = shared()

MILLISECONDS = iso("Z", 3)


@model
class Account:
    """Somebody who can sign in. The e-mail address is one that was shown to be theirs."""

    id: Attr[str] = part()
    email: Attr[str | None] = attr(
        default=None, ja="小文字", en="In lower case; absent for people known by a provider only"
    )
    name: Attr[str] = attr()
    password: Attr[str | None] = attr(default=None, ja="Argon2id", en="Argon2id, with its salt and its costs")
    language: Attr[str | None] = attr(default=None)
    token_version: Attr[int] = attr(
        default=0, ja="上げると、すべてのサインインが終わる", en="Raised to end every sign-in"
    )
    signed_out_at: Attr[datetime | None] = attr(
        default=None,
        stored_as=MILLISECONDS,
        ja="すべてのサインインを終えた日時",
        en="When every sign-in was ended last; ends personal tokens that have no version",
    )
    totp: Attr[str | None] = attr(
        default=None,
        ja="認証アプリの鍵の素",
        en="Salt of the authenticator app's key; the key itself is stored nowhere",
    )
    totp_offered: Attr[str | None] = attr(default=None, ja="確認待ちのもの", en="The same, not confirmed by a code yet")
    totp_step: Attr[int] = attr(default=-1, ja="最後に使われたコード", en="The last code that was used")
    totp_tried: Attr[str | None] = attr(
        default=None, ja="コードを試した10分間と回数", en="The ten minutes that codes were tried in, and how many"
    )
    recovery: Attr[frozenset[str]] = attr(
        default=frozenset(),
        ja="使われていないリカバリーコードの鍵付きハッシュ",
        en="Keyed hashes of the recovery codes that are left",
    )
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)


@table.entity(Account, type="account", added=True)
def accounts(id: str) -> Key:
    return Key(f"ACCOUNT#{id}", "ACCOUNT")


emails = accounts.unique("EMAIL#{email}", table.markers(type="email", added=True))


@model
class Session:
    """One browser that is signed in."""

    account_id: Attr[str] = part()
    hash: Attr[str] = part()
    agent: Attr[str] = attr(default="")
    version: Attr[int] = attr(default=0, ja="アカウントの token_version", en="The account's token_version at the time")
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    seen_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    proved_at: Attr[datetime | None] = attr(
        default=None, stored_as=MILLISECONDS, ja="本人確認の日時", en="When they last proved who they are"
    )
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Session, type="session", added=True)
def sessions(account_id: str, hash: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", f"SESSION#{hash}")


@model
class AppSession:
    """One app that is signed in: the hash of the refresh token that it may use next."""

    account_id: Attr[str] = part()
    id: Attr[str] = part()
    hash: Attr[str] = attr()
    app: Attr[str] = attr()
    version: Attr[int] = attr(default=0, ja="アカウントの token_version", en="The account's token_version at the time")
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    seen_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(AppSession, type="app-session", added=True)
def app_sessions(account_id: str, id: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", f"APP#{id}")


@model
class ApiToken:
    """A personal token for the APIs."""

    account_id: Attr[str] = part()
    hash: Attr[str] = part()
    name: Attr[str] = attr()
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    scope: Attr[str | None] = attr(
        default=None,
        ja="使える範囲。ないものは以前のトークンで、すべてできる",
        en="What it may do, such as `tasks:read q:write`; tokens of before have none and may do everything",
    )
    version: Attr[int | None] = attr(
        default=None, ja="アカウントの token_version", en="The account's token_version at the time"
    )
    used_at: Attr[datetime | None] = attr(
        default=None, stored_as=MILLISECONDS, ja="最後に使われた日時(1時間ごと)", en="Last used, to the hour"
    )
    expires: Attr[datetime | None] = attr(default=None, stored_as=epoch())


@table.entity(ApiToken, type="token", added=True)
def tokens(account_id: str, hash: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", f"TOKEN#{hash}")


@model
class Challenge:
    """A code that was mailed and waits to be typed in, with what sign-up was told."""

    id: Attr[str] = part()
    email: Attr[str] = attr()
    code_hash: Attr[str] = attr()
    attempts: Attr[int] = attr(default=0)
    name: Attr[str | None] = attr(default=None)
    password: Attr[str | None] = attr(default=None)
    next: Attr[str] = attr(default="/")
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Challenge, type="challenge", added=True)
def challenges(id: str) -> Key:
    return Key(f"CHALLENGE#{id}", "CHALLENGE")


@model
class AddressChange:
    """A new e-mail address that waits for two codes: one mailed to it, one to the address before."""

    account_id: Attr[str] = part()
    email: Attr[str] = attr()
    code_hash: Attr[str] = attr()
    old_code_hash: Attr[str | None] = attr(
        default=None, ja="これまでのアドレスがなければ、ない", en="Absent when there was no address before"
    )
    attempts: Attr[int] = attr(default=0)
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(AddressChange, type="address-change", added=True)
def address_changes(account_id: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", "ADDRESS-CHANGE")


@model
class Passkey:
    """A key pair of a device or a password manager; only the public half is here."""

    account_id: Attr[str] = part()
    credential: Attr[str] = part(en="The credential's id, base64url")
    public_key: Attr[str] = attr(ja="公開鍵(COSE)", en="COSE, base64url")
    sign_count: Attr[int] = attr(default=0)
    name: Attr[str] = attr()
    created_at: Attr[datetime] = attr(stored_as=MILLISECONDS)
    used_at: Attr[datetime | None] = attr(default=None, stored_as=MILLISECONDS)


@table.entity(Passkey, type="passkey", added=True)
def passkeys(account_id: str, credential: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", f"PASSKEY#{credential}")


@model
class Ceremony:
    """A question that a passkey is to sign, good once and for five minutes."""

    id: Attr[str] = part()
    account_id: Attr[str | None] = attr(
        default=None, ja="登録する人", en="Whose new passkey it is for; absent at sign-in"
    )
    challenge: Attr[str] = attr()
    expires: Attr[datetime] = attr(stored_as=epoch())


@table.entity(Ceremony, type="ceremony", added=True)
def ceremonies(id: str) -> Key:
    return Key(f"CEREMONY#{id}", "CEREMONY")


@model
class Identity:
    """Who somebody is at an OpenID provider, and which account that is here."""

    hash: Attr[str] = part(en="SHA-256 over issuer and subject")
    account_id: Attr[str] = attr()
    issuer: Attr[str] = attr()
    subject: Attr[str] = attr()


@table.entity(Identity, type="identity", added=True)
def identities(hash: str) -> Key:
    return Key(f"IDENTITY#{hash}", "IDENTITY")


@model
class IdentityLink:
    """The same, seen from the account."""

    account_id: Attr[str] = part()
    hash: Attr[str] = part()
    issuer: Attr[str] = attr()


@table.entity(IdentityLink, type="identity-link", added=True)
def identity_links(account_id: str, hash: str) -> Key:
    return Key(f"ACCOUNT#{account_id}", f"IDENTITY#{hash}")


@model
class Marker:
    """Something that was done once on this store, such as loading the demo data."""

    name: Attr[str] = part()
    at: Attr[datetime] = attr(stored_as=MILLISECONDS)


@table.entity(Marker, type="marker", added=True)
def done_once(name: str) -> Key:
    return Key(f"DONE#{name}", "DONE")


@design.pattern(ja="アカウントのセッション", added=True)
def sessions_of(account_id: str) -> Query[Session]:
    """Where somebody is signed in."""
    return sessions.where(Session.account_id == account_id)


@design.pattern(ja="アカウントのアプリのサインイン", added=True)
def app_sessions_of(account_id: str) -> Query[AppSession]:
    """The apps that somebody is signed in with."""
    return app_sessions.where(AppSession.account_id == account_id)


@design.pattern(ja="アカウントのAPIトークン", added=True)
def tokens_of(account_id: str) -> Query[ApiToken]:
    """The personal tokens of somebody."""
    return tokens.where(ApiToken.account_id == account_id)


@design.pattern(ja="アカウントのパスキー", added=True)
def passkeys_of(account_id: str) -> Query[Passkey]:
    """The passkeys of somebody."""
    return passkeys.where(Passkey.account_id == account_id)


@design.pattern(ja="アカウントに結び付いた外部のサインイン", added=True)
def identity_links_of(account_id: str) -> Query[IdentityLink]:
    """Who somebody is at OpenID providers."""
    return identity_links.where(IdentityLink.account_id == account_id)
