"""How webhooks are signed: Standard Webhooks (https://www.standardwebhooks.com), whose receivers have libraries.

`webhook-signature` is HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, one `v1,…` for each secret: while a
secret is changed, receivers that know the old one and receivers that know the new one both find theirs.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence

PREFIX = "whsec_"
SECRET_BYTES_MIN = 16


def as_shown(secret: bytes) -> str:
    """Return the secret as receivers enter it."""
    return PREFIX + base64.b64encode(secret).decode()


def secret_of(text: str) -> bytes:
    """Return the secret that `whsec_…` stands for; other text is the secret itself. Raises ValueError."""
    if not text.startswith(PREFIX):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        raise ValueError(f"{PREFIX} is followed by base64 in a webhook's secret.") from None


def message_id(reason: str) -> str:
    """Return the `webhook-id` of what happens for a reason: the same however often it is sent."""
    return f"msg_{hashlib.sha256(reason.encode()).hexdigest()[:24]}"


def signed(secrets: Sequence[bytes], id: str, now: int, body: bytes) -> dict[str, str]:
    """Return the three headers."""
    content = f"{id}.{now}.".encode() + body
    digests = (hmac.digest(secret, content, hashlib.sha256) for secret in secrets)
    signatures = " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)
    return {"webhook-id": id, "webhook-timestamp": str(now), "webhook-signature": signatures}
