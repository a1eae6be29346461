"""Asking a service outside whether it knows us, without changing or sending anything; for `sekkei doctor`.

End("line", …, probe=Asking("line_api_url", "https://api.line.me", "/v2/bot/info", "Bearer {line_channel_token}"))
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from sekkei.clock import SYSTEM
from sekkei.errors import NoAnswer
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected

if TYPE_CHECKING:
    from sekkei.runtime.settings import Settings

SECONDS = 8.0
Probe = Callable[["Settings"], Awaitable[None]]
"""Raises Unwell."""


class Unwell(Exception):
    """It does not answer as it should; what was said, and what to do."""

    def __init__(self, said: str, do: str) -> None:
        super().__init__(f"{said}. {do}")


@dataclass(frozen=True, slots=True)
class Asking:
    """A GET that only says who we are."""

    url_setting: str
    url: str
    path: str
    authorization: str
    """With the name of a setting in braces."""

    async def __call__(self, settings: Settings) -> None:
        url = (settings.get(self.url_setting) or self.url).rstrip("/") + self.path
        who = self.authorization.format(**{self._name: settings.get(self._name)})
        http = Http()
        try:
            answer = await http.request("GET", url, headers={"Authorization": who, "Accept": "application/json"})
        except NoAnswer as error:
            raise Unwell(str(error), "Check that this machine may reach it") from None
        finally:
            http.close()
        if answer.status in (401, 403):
            renew = f"Renew SEKKEI_{self._name.upper()}"
            raise Unwell(f"{url} answers {answer.status}: it does not know us", renew)
        if answer.status != 200:
            raise Unwell(f"{url} answers {answer.status}", "Try again later; if it stays so, check its status page")

    @property
    def _name(self) -> str:
        """The setting that it depends on."""
        return self.authorization.partition("{")[2].partition("}")[0]


async def mail(settings: Settings) -> None:
    """EHLO, STARTTLS, the password and NOOP; or SES' GetAccount."""
    from sekkei.runtime.transports import configured

    http = Http()
    try:
        await configured(settings, SYSTEM, http)["mail"].check()  # type: ignore[attr-defined]
    except Rejected as error:
        raise Unwell(f"it does not accept us: {error}", "Check our credentials, and what they may do") from None
    except Exception as error:  # of smtplib, ssl and sockets
        raise Unwell(f"{type(error).__name__}: {error}", "Check host, port and firewall") from None
    finally:
        http.close()


async def openid(settings: Settings) -> None:
    """The provider's own description, which must be that of the issuer we were given."""
    issuer = settings.get("sign_in_issuer")
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    http = Http()
    try:
        answer = await http.request("GET", url, headers={"Accept": "application/json"})
        described = orjson.loads(answer.body)
    except NoAnswer as error:
        raise Unwell(str(error), "Check that this machine may reach it") from None
    except ValueError:
        raise Unwell(f"{url} is no description of a provider", "Check SEKKEI_SIGN_IN_ISSUER") from None
    finally:
        http.close()
    if answer.status != 200 or not isinstance(described, dict) or described.get("issuer") != issuer:
        raise Unwell(f"{url} does not describe {issuer}", "Check SEKKEI_SIGN_IN_ISSUER, to the last slash")


async def said(probe: Probe, settings: Settings) -> str | None:
    """What is wrong; None when all is well."""
    try:
        async with asyncio.timeout(SECONDS):
            await probe(settings)
    except TimeoutError:
        return f"no answer within {SECONDS:g} seconds. Check that this machine may reach it"
    except Unwell as error:
        return str(error)
    return None
