"""Who signed a webhook.

SEKKEI_LINE_CHANNEL_SECRET            verifies webhooks; without it the chat simulator's own secret does
SEKKEI_LINE_CHANNEL_SECRET_PREVIOUS   still accepted while a secret is being changed
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Sequence

from sekkei.runtime.ends import is_loopback
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports.line import signature
from sekkei_systems.chiipochi.refusals import BadSignature

log = logging.getLogger("sekkei_systems.chiipochi.line")


def local_secret(settings: Settings) -> bytes:
    """What the chat simulator signs with, where no channel is set up."""
    return settings.secrets.key("chiipochi/line").hex().encode()


def is_simulated(settings: Settings) -> bool:
    """Is there a chat simulator? It signs in LINE's place, so it is there for this machine alone, without a channel."""
    return not settings.get("line_channel_secret") and is_loopback(settings.public_url)


class ChannelSecrets:
    """The secrets that may have signed a webhook, the one in force first."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        self._secrets = tuple(secrets)

    @staticmethod
    def configured(settings: Settings) -> ChannelSecrets:
        given = [settings.get("line_channel_secret"), settings.get("line_channel_secret_previous")]
        found = [secret.encode() for secret in given if secret]
        return ChannelSecrets(found or [local_secret(settings)])

    def check(self, body: bytes, given: str | None) -> None:
        """Over the raw bytes, in constant time; raises BadSignature."""
        # Every secret is compared, so that time does not tell which one is in force.
        theirs = (given or "").encode()
        matches = [hmac.compare_digest(signature(secret, body).encode(), theirs) for secret in self._secrets]
        if not any(matches):
            log.warning("a webhook was refused", extra={"reason": "signature", "body_bytes": len(body)})
            raise BadSignature()
