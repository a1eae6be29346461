"""What every page and API can rely on: the store, the accounts, the texts and what signs; `request.app.state.shell`."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.runtime import days
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.outbox import SHELL, Outbox
from sekkei.runtime.retention import Kept
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import System
from sekkei.texts import Texts, texts_near
from sekkei.web.console import target as console_looked
from sekkei.web.console.token_login import has_entered
from sekkei.web.identity import address, passkeys
from sekkei.web.identity.accounts import Accounts, Passwords, split
from sekkei.web.identity.app_sessions import AppSessions
from sekkei.web.identity.authenticators import Authenticators
from sekkei.web.identity.bearer import BadBearer, Provider
from sekkei.web.identity.design import design as web_design
from sekkei.web.identity.openid import OpenId
from sekkei.web.limits import Limits
from sekkei.web.live import Connections
from sekkei.web.middleware import HOST_SESSION_COOKIE, SESSION_COOKIE, session_cookie
from sekkei.web.rendering import make_environment
from sekkei.web.routing import Addresses
from sekkei.web.static_files import StaticFiles
from sekkei.web.texts import SHELL as SHELL_TEXTS

_LOOPBACK_NAMES = frozenset({"127.0.0.1", "::1", "localhost"})
FORWARDING = frozenset(
    {
        "cf-connecting-ip",
        "client-ip",
        "fly-client-ip",
        "forwarded",
        "true-client-ip",
        "via",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-port",
        "x-forwarded-proto",
        "x-forwarded-server",
        "x-original-host",
        "x-real-ip",
    }
)
"""Headers that only something between us and whoever asks puts in."""

log = logging.getLogger("sekkei.web")


class Shell:
    """What every page and API can rely on; `request.app.state.shell`."""

    def __init__(
        self,
        deployment: Deployment,
        settings: Settings,
        clock: Clock,
        *,
        loopback: bool,
        passwords: Passwords | None = None,
        looked: console_looked.Looked | None = None,
    ) -> None:
        self.deployment, self.settings, self.clock = deployment, settings, clock
        self.loopback = loopback
        """The server can be reached from this machine only."""
        self.db = deployment.open(web_design)
        self.accounts = Accounts(self.db, clock, settings.secrets, passwords, deployment.live)
        self.apps = AppSessions(self.db, clock, settings, self.accounts)
        self.authenticators = Authenticators(self.db, clock, settings.secrets)
        self.email_changes = address.Addresses(self.db, clock, settings.secrets)
        self.passkeys = passkeys.Passkeys(self.db, clock, settings)
        self.provider = Provider(settings, clock)
        self.openid = OpenId(settings, clock)
        self.openid_signer = settings.secrets.signer("signing in with a provider")
        self.outbox = Outbox(deployment.runtime, clock, SHELL, Kept(settings.get("sent_days")))
        self.limits = Limits(clock, on=settings.get("rate_limit", "on") != "off")
        self.connections = Connections()
        self.live_on = settings.get("live", "on") != "off" and "AWS_LAMBDA_FUNCTION_NAME" not in os.environ
        self.csrf_signer = settings.secrets.signer("csrf")
        self.device_signer = settings.secrets.signer("known devices")
        self.flash_signer = settings.secrets.signer("flash")
        packages = {name: _package(opened.system) for name, opened in deployment.systems.items()}
        self.texts = {name: _texts(package) for name, package in packages.items()}
        """Whose texts the pages of a system are looked up in."""
        self.static = StaticFiles({"": Path(__file__).parent / "static", **_folders(packages, "static")})
        reload = settings.get("develop") not in ("", "0")
        self.templates = make_environment(_folders(packages, "templates"), reload=reload)
        self.hosts = self._host_names()
        self._meant_for_this_machine = urlsplit(settings.public_url).hostname in _LOOPBACK_NAMES
        self.webhooks: list[re.Pattern[str]] = []
        self.load_demo = settings.demo
        self._prepared = False
        self.addresses = Addresses(())
        self.dynamodb_url: str | None = None
        """Where the store's own API is served, for people who want to look inside."""
        self.looked = looked or console_looked.of_deployment(deployment)
        """What the console shows; another store than the shell's own in `sekkei look`."""

    async def prepare(self) -> None:
        """Make the tables that are missing."""
        if not self._prepared:
            await self.deployment.make_tables(web_design)
            self._prepared = True

    async def bring_up_to_date(self) -> None:
        """Make the tables that are missing, and give those of an earlier version the streams and indexes that they
        lack: for a file, which is ours alone. Tables on DynamoDB are changed by `sekkei tables apply` or by what
        published them."""
        for step in await self.deployment.change_tables(web_design):
            if step.kind == "change":
                log.info("changed a table of an earlier version", extra={"what": f"{step}"})
        self._prepared = True

    def _host_names(self) -> frozenset[str]:
        """The names that requests may be addressed to; more of them in SEKKEI_HOSTS."""
        given = {urlsplit(self.settings.public_url).hostname or "", *self.settings.get("hosts").split(",")}
        return frozenset(name.strip().lower() for name in given if name.strip()) | _LOOPBACK_NAMES

    async def identify(self, request: Request) -> None:
        """Who is asking: a bearer token of ours or of an app, one of the provider's, or a session."""
        state = request.state
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            state.user = await self._bearer(credentials.strip())
            return
        cookie = session_cookie(request)
        if not cookie or not split(cookie)[1]:
            return
        found = await self.accounts.by_session(cookie)
        if found is not None:
            state.user, session = found
            state.session_hash, state.proved_at = session.hash, session.proved_at
            if HOST_SESSION_COOKIE not in request.cookies and self.settings.public_url.startswith("https://"):
                seconds = int((session.expires - days.now(self.clock)).total_seconds())
                state.set_cookies.append((SESSION_COOKIE, cookie, seconds))

    async def _bearer(self, token: str) -> object:
        if token.startswith("sekkei_"):
            user = await self.accounts.by_token(token)
            if user is None:
                raise BadBearer()
            return user
        if self.apps.is_ours(token):
            return await self.apps.user(token)
        claims = await self.provider.claims(token)
        email = str(claims.get("email", "")).lower() if claims.get("email_verified") is True else None
        name = str(claims.get("name") or claims.get("preferred_username") or email or "")
        return await self.accounts.by_identity(self.provider.issuer, str(claims["sub"]), email or None, name)

    def is_local(self, request: Request) -> bool:
        """Asked from this machine, directly, of a server that only this machine can reach and that is meant for it.

        A proxy on this machine may add headers, or none: with a public address that others can reach, nobody is
        local, whatever a request looks like.
        """
        if not self.loopback or not self._meant_for_this_machine or request.client is None:
            return False
        if _host(request.headers.get("host", "")) not in _LOOPBACK_NAMES or FORWARDING & set(request.headers.keys()):
            return False
        try:
            return ipaddress.ip_address(request.client.host).is_loopback
        except ValueError:
            return False

    def demo_allowed(self, request: Request) -> bool:
        return self.settings.demo and self.is_local(request)

    def is_operator(self, request: Request) -> bool:
        """Whoever may look into the tables: on one's own machine in a demo, or by address in SEKKEI_OPERATORS.

        In person: the outbox has everybody's sign-in codes, so a token that was found must not lead there."""
        if self.looked.token and not has_entered(request, self):
            return False
        if self.demo_allowed(request):
            return True
        user = request.state.user
        named = {email.strip().lower() for email in self.settings.get("operators").split(",")}
        return user is not None and user.via == "session" and user.verified and user.email in named


def _host(header: str) -> str | None:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def _package(system: System) -> str:
    """The package that a system lives in: where its texts, templates and static files are."""
    module = sys.modules[system.build.__module__]
    return module.__package__ or module.__name__


def _texts(package: str) -> tuple[Texts, ...]:
    own = texts_near(package)
    return (own, *SHELL_TEXTS) if own else SHELL_TEXTS


def _folders(packages: Mapping[str, str], kind: str) -> dict[str, Path]:
    found = {}
    for name, package in packages.items():
        file = sys.modules[package].__file__
        folder = Path(file or "").parent / kind
        if file and folder.is_dir():
            found[name] = folder
    return found
