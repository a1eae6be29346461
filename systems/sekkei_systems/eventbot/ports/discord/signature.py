"""Ed25519 over the timestamp and the raw body: the only proof that an interaction comes from Discord."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNATURE_HEADER = "x-signature-ed25519"
TIMESTAMP_HEADER = "x-signature-timestamp"
_SKEW_SECONDS_MAX = 300
_TIMESTAMP_LENGTH_MAX = 20


class Verifier:
    """Checks requests against the application's public key (64 hex digits)."""

    def __init__(self, public_key: str) -> None:
        try:
            self._key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        except ValueError:
            raise ValueError("SEKKEI_DISCORD_PUBLIC_KEY must be the 64 hex digits of the application's page.") from None

    def verify(self, signature: str | None, timestamp: str | None, body: bytes, now: float) -> bool:
        """False for anything that is not Discord's, here and now: whatever is missing, malformed, stale or forged."""
        if not signature or not timestamp or len(signature) != 128 or len(timestamp) > _TIMESTAMP_LENGTH_MAX:
            return False
        if not timestamp.isascii() or not timestamp.isdigit() or abs(int(timestamp) - now) > _SKEW_SECONDS_MAX:
            return False
        try:
            self._key.verify(bytes.fromhex(signature), timestamp.encode() + body)
        except (ValueError, InvalidSignature):
            return False
        return True


class Signer:
    """Signs as Discord does; for the simulator and tests, with a key of our own."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public_key(self) -> str:
        return self._key.public_key().public_bytes_raw().hex()

    def headers(self, body: bytes, now: float) -> dict[str, str]:
        timestamp = str(int(now))
        signature = self._key.sign(timestamp.encode() + body).hex()
        return {SIGNATURE_HEADER: signature, TIMESTAMP_HEADER: timestamp}
