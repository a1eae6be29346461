"""Push messages to browsers: RFC 8030 (the request), RFC 8291 (what only the browser can read), RFC 8292 (who we are).

SEKKEI_VAPID_PRIVATE_KEY and SEKKEI_VAPID_SUBJECT (mailto:… or https://…) set it up; `sekkei q push-keys` makes a key.
Browsers tie a subscription to the public half of the key: with another key all of them have to subscribe again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from sekkei.clock import SYSTEM, Clock
from sekkei.runtime.design import Message
from sekkei.runtime.ends import End
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable, busy
from sekkei.runtime.probes import Unwell
from sekkei.runtime.settings import Settings
from sekkei.store.http import Answer

_RECORD_BYTES = 4_096
HEADER_BYTES = 16 + 4 + 1 + 65
PAYLOAD_BYTES_MAX = _RECORD_BYTES - HEADER_BYTES - 16 - 1
"""What fits into the one record that push services take: without header, tag and the octet that ends it."""
_POINT_BYTES, _AUTH_BYTES, KEY_BYTES = 65, 16, 32
TOKEN_SECONDS = 12 * 3600
"""RFC 8292 allows a day; clocks differ."""
_TOKEN_RENEWED_BEFORE = 3600
BUSY_SECONDS = 60.0
HOSTS = ("fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
"""The services of the browsers that there are. Another address is not asked: whoever gives it could be anybody."""
LOOPBACK = ("127.0.0.1", "localhost")
_HOST = re.compile(r"\.?[a-z0-9-]+(\.[a-z0-9-]+)*")
_SUBJECT = re.compile(r"mailto:[^@\s]+@[^@\s]+|https://\S+")


class DeviceGone(Undeliverable):
    """The browser has unsubscribed; whoever keeps subscriptions forgets it."""


def b64(given: bytes) -> str:
    return base64.urlsafe_b64encode(given).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """Raises ValueError."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def public_key(given: bytes) -> ec.EllipticCurvePublicKey:
    """An uncompressed point of P-256; raises ValueError for anything else."""
    if len(given) != _POINT_BYTES:
        raise ValueError("not an uncompressed point of P-256")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), given)


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """32 bytes in base64url, as `make_key` writes them."""
    try:
        given = unb64(text.strip().rstrip("="))
        if len(given) != KEY_BYTES:
            raise ValueError("not 32 bytes")
        return ec.derive_private_key(int.from_bytes(given), ec.SECP256R1())
    except ValueError as error:
        raise ValueError(
            f"SEKKEI_VAPID_PRIVATE_KEY is not a key for web push ({error}); `sekkei q push-keys` makes one."
        ) from None


def make_key() -> str:
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return b64(number.to_bytes(KEY_BYTES))


# RFC 8291: for the browser alone


@dataclass(frozen=True, slots=True)
class Keys:
    """What a browser gives with its subscription."""

    p256dh: bytes
    auth: bytes

    @classmethod
    def of(cls, p256dh: str, auth: str) -> Keys:
        """Raises ValueError when they are no keys."""
        point_of, secret = unb64(p256dh.rstrip("=")), unb64(auth.rstrip("="))
        public_key(point_of)
        if len(secret) != _AUTH_BYTES:
            raise ValueError("the secret has 16 bytes")
        return cls(point_of, secret)


def sealed(
    payload: bytes,
    keys: Keys,
    *,
    salt: bytes | None = None,
    ours: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """`aes128gcm` of RFC 8188 in one record; salt and key are new for every message."""
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise Undeliverable(f"the payload has {len(payload)} bytes; {PAYLOAD_BYTES_MAX} fit")
    salt = salt or secrets.token_bytes(16)
    ours = ours or ec.generate_private_key(ec.SECP256R1())
    public = point(ours.public_key())
    shared = ours.exchange(ec.ECDH(), public_key(keys.p256dh))
    key, nonce = _derived(shared, salt, keys, public)
    header = salt + _RECORD_BYTES.to_bytes(4) + bytes([len(public)]) + public
    return header + AESGCM(key).encrypt(nonce, payload + b"\x02", None)


def unsealed(body: bytes, theirs: ec.EllipticCurvePrivateKey, auth: bytes) -> bytes:
    """As the browser reads it; raises ValueError or InvalidTag."""
    salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
    if length != _POINT_BYTES or len(body) > size:
        raise ValueError("not one record with a point as its key")
    sender = body[21 : 21 + length]
    shared = theirs.exchange(ec.ECDH(), public_key(sender))
    key, nonce = _derived(shared, salt, Keys(point(theirs.public_key()), auth), sender)
    plain = AESGCM(key).decrypt(nonce, body[21 + length :], None).rstrip(b"\x00")
    if not plain.endswith(b"\x02"):
        raise ValueError("the last record does not end as it should")
    return plain[:-1]


def _derived(shared: bytes, salt: bytes, keys: Keys, sender: bytes) -> tuple[bytes, bytes]:
    ikm = _hkdf(keys.auth, shared, b"WebPush: info\x00" + keys.p256dh + sender, 32)
    key = _hkdf(salt, ikm, b"Content-Encoding: aes128gcm\x00", 16)
    return key, _hkdf(salt, ikm, b"Content-Encoding: nonce\x00", 12)


def _hkdf(salt: bytes, given: bytes, info: bytes, length: int) -> bytes:
    """HKDF with SHA-256, of at most one block."""
    prk = hmac.digest(salt, given, hashlib.sha256)
    return hmac.digest(prk, info + b"\x01", hashlib.sha256)[:length]


# RFC 8292: who we are


class Vapid:
    """Signs for the key pair, once for each push service and half a day."""

    def __init__(self, key: str, subject: str, clock: Clock) -> None:
        if not _SUBJECT.fullmatch(subject):
            raise ValueError("SEKKEI_VAPID_SUBJECT is how push services reach you: mailto:you@example.com or https://…")
        self._key = private_key(key)
        self._subject = subject
        self.clock = clock
        self.public = b64(point(self._key.public_key()))
        """What browsers subscribe with."""
        self._tokens: dict[str, tuple[float, str]] = {}

    def authorization(self, endpoint: str) -> str:
        parts = urlsplit(endpoint)
        audience, now = f"{parts.scheme}://{parts.netloc}", self.clock.now()
        until, token = self._tokens.get(audience, (0.0, ""))
        if until - now < _TOKEN_RENEWED_BEFORE:
            until = now + TOKEN_SECONDS
            token = signed_token(self._key, {"aud": audience, "exp": int(until), "sub": self._subject})
            self._tokens[audience] = (until, token)
        return f"vapid t={token}, k={self.public}"


def signed_token(key: ec.EllipticCurvePrivateKey, claims: Mapping[str, Any]) -> str:
    """A JSON Web Token by ES256."""
    text = f"{b64(orjson.dumps({'typ': 'JWT', 'alg': 'ES256'}))}.{b64(orjson.dumps(dict(claims)))}"
    r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{text}.{b64(r.to_bytes(KEY_BYTES) + s.to_bytes(KEY_BYTES))}"


def claims_of(token: str, key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """What a token claims, if this key has signed it; raises ValueError."""
    text, _, signature = token.rpartition(".")
    head, _, claims = text.partition(".")
    raw = unb64(signature)
    if len(raw) != 2 * KEY_BYTES or orjson.loads(unb64(head)).get("alg") != "ES256":
        raise ValueError("not a token by ES256")
    der = encode_dss_signature(int.from_bytes(raw[:KEY_BYTES]), int.from_bytes(raw[KEY_BYTES:]))
    try:
        key.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise ValueError("another key has signed it") from None
    found: dict[str, Any] = orjson.loads(unb64(claims))
    return found


# RFC 8030: the request


def is_push_service(endpoint: str, more: str = "") -> bool:
    """Whether an address is of a known push service, or of one that SEKKEI_PUSH_HOSTS names: by https at 443, or at the
    port that is named with the host. Loopback may be asked by http, for trying things out."""
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or parts.fragment or not endpoint.isascii() or not endpoint.isprintable():
        return False
    named = _named_hosts(more)
    port = (443 if parts.scheme == "https" else 80) if port is None else port
    if parts.scheme == "http":
        return host in LOOPBACK and (host, port) in named
    known = (*((one, 443) for one in HOSTS), *named)
    return parts.scheme == "https" and any(_is_of(host, one) and port == at for one, at in known)


def _named_hosts(more: str) -> list[tuple[str, int]]:
    """The hosts in SEKKEI_PUSH_HOSTS, each with its port; raises ValueError for what is none."""
    found = []
    for one in filter(None, map(str.strip, more.lower().split(","))):
        host, _, port = one.partition(":")
        if not _HOST.fullmatch(host) or not (port or "443").isdecimal() or int(port or 443) not in range(1, 65_536):
            raise ValueError(
                f"SEKKEI_PUSH_HOSTS has hosts, such as push.example.com or push.example.com:8443; not {one!r}."
            )
        found.append((host, int(port or 443)))
    return found


def _is_of(host: str, known: str) -> bool:
    return host == known or (known.startswith(".") and host.endswith(known))


def vapid_of(settings: Settings, clock: Clock) -> Vapid | None:
    """As it is set up; None when it is not, ValueError when only half of it is."""
    key, subject = settings.get("vapid_private_key"), settings.get("vapid_subject")
    _named_hosts(settings.get("push_hosts"))
    if not key and not subject:
        return None
    for name, value in (("SEKKEI_VAPID_PRIVATE_KEY", key), ("SEKKEI_VAPID_SUBJECT", subject)):
        if not value:
            raise ValueError(f"Web push is half set up: {name} is missing. Set it, or neither.")
    return Vapid(key, subject, clock)


async def _probe(settings: Settings) -> None:
    """Whether the key is one; push services know nobody beforehand."""
    try:
        vapid_of(settings, SYSTEM)
    except ValueError as error:
        raise Unwell(str(error).rstrip("."), "Mend that") from None


WEB_PUSH = End(
    "web-push",
    ("vapid_private_key", "vapid_subject"),
    "browsers are told nothing while no page is open",
    probe=_probe,
    optional=True,
)


class WebPush:
    """`to` is the subscription's endpoint; the body has `keys` (p256dh, auth), `payload`, and may have `ttl`, `urgency`
    and `topic`: of messages with one topic that wait for a device, only the last arrives."""

    at_once = 64
    timeout_seconds = 20.0

    def __init__(self, vapid: Vapid, http: Http, more_hosts: str = "") -> None:
        self._vapid = vapid
        self._http = http
        self._more_hosts = more_hosts

    async def send(self, message: Message) -> str:
        body = message.body
        if not is_push_service(message.to, self._more_hosts):
            raise Undeliverable("not an address of a known push service")
        try:
            keys = Keys.of(body["keys"]["p256dh"], body["keys"]["auth"])
        except (ValueError, KeyError, TypeError) as error:
            raise Undeliverable(f"the subscription's keys: {error}") from None
        headers = {
            "Authorization": self._vapid.authorization(message.to),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(body.get("ttl", 0))),
            "Urgency": str(body.get("urgency", "normal")),
            **({"Topic": topic_of(str(body["topic"]))} if body.get("topic") else {}),
        }
        content = sealed(orjson.dumps(body["payload"]), keys)
        answer = await self._http.request("POST", message.to, headers=headers, body=content)
        return _receipt(answer, self._vapid.clock)


def topic_of(text: str) -> str:
    """32 characters of base64url at most, as RFC 8030 has them."""
    return b64(hashlib.sha256(text.encode()).digest())[:32]


def _receipt(answer: Answer, clock: Clock) -> str:
    words = f"the push service answered {answer.status}"
    if answer.status in (200, 201, 202):
        return answer.headers.get(b"location", b"").decode("latin-1") or str(answer.status)
    if answer.status in (404, 410):
        raise DeviceGone(words)
    if answer.status in (401, 403):
        raise Rejected(words)
    raise busy(answer, clock, words, otherwise=BUSY_SECONDS) or Undeliverable(words)
