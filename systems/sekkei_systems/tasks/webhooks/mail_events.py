"""`POST /tasks/mail-events`: what became of mails. Addresses that bounced or complained get none any more.

SEKKEI_MAIL_TOPIC           the ARN of the SNS topic that Amazon SES reports to; messages of it are signed
SEKKEI_MAIL_EVENTS_SECRET   for a mail server: pipe the mails that come back to
                            curl -H "Sekkei-Secret: $SECRET" -H "Content-Type: message/rfc822" --data-binary @-

With neither set there is nothing at this address.
"""

from __future__ import annotations

import base64
import binascii
import logging
import re
from collections.abc import Mapping
from typing import Any

import orjson
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.kit.signing import same
from sekkei.runtime.http import Http
from sekkei.runtime.system import Context
from sekkei.web.csrf import body_limit, webhook
from sekkei_systems.tasks.rules.mails import Report, from_dsn, from_ses
from sekkei_systems.tasks.service.mail import MailBlocks

log = logging.getLogger("sekkei_systems.tasks.webhooks.mail_events")

BODY_BYTES_MAX = 300_000
_CERTIFICATES_MAX = 10
_CERTIFICATE = re.compile(r"SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem")
_SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}


class Forged(Exception):
    """Not from the topic that was named, or not signed by SNS."""


class Topic:
    """Messages of one SNS topic, believed only with SNS's signature."""

    def __init__(self, arn: str, http: Http) -> None:
        self._arn, self._http = arn, http
        _, partition, _, region, *_ = [*arn.split(":"), "", "", ""]
        # Only the topic's own region: a bucket by the name of `sns` answers at sns.s3-(region).amazonaws.com.
        self._sns = f"https://sns.{region}.amazonaws.com{'.cn' if partition == 'aws-cn' else ''}/"
        self._keys: dict[str, RSAPublicKey] = {}

    async def read(self, body: bytes) -> list[Report]:
        """Raises Forged. A subscription to the topic is confirmed on the way."""
        try:
            message = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise Forged("no JSON") from None
        if not isinstance(message, dict) or message.get("TopicArn") != self._arn:
            raise Forged("another topic")
        await self._verify(message)
        if message["Type"] == "SubscriptionConfirmation":
            await self._confirm(str(message["SubscribeURL"]))
            return []
        try:
            event = orjson.loads(str(message["Message"]))
        except orjson.JSONDecodeError:
            return []  # SES says in plain words that the subscription works
        return from_ses(event) if isinstance(event, dict) else []

    async def _verify(self, message: Mapping[str, Any]) -> None:
        names = _SIGNED.get(str(message.get("Type")))
        if names is None:
            raise Forged("another type")
        said = "".join(f"{name}\n{message[name]}\n" for name in names if message.get(name) is not None)
        digest = SHA256() if message.get("SignatureVersion") == "2" else SHA1()
        key = await self._key(str(message.get("SigningCertURL", "")))
        try:
            signature = base64.b64decode(str(message.get("Signature", "")), validate=True)
            key.verify(signature, said.encode(), PKCS1v15(), digest)
        except (binascii.Error, InvalidSignature):
            raise Forged("the signature is wrong") from None

    async def _key(self, url: str) -> RSAPublicKey:
        if not url.startswith(self._sns) or not _CERTIFICATE.fullmatch(url.removeprefix(self._sns)):
            raise Forged("the certificate is not SNS's")
        if url not in self._keys:
            answer = await self._http.request("GET", url)
            if 400 <= answer.status < 500:
                raise Forged("SNS has no such certificate")
            if answer.status != 200:
                raise ConnectionError(f"the certificate of SNS cannot be read: {answer.status}")
            key = x509.load_pem_x509_certificate(answer.body).public_key()
            if not isinstance(key, RSAPublicKey):
                raise Forged("the certificate is not SNS's")
            if len(self._keys) >= _CERTIFICATES_MAX:
                self._keys.clear()
            self._keys[url] = key
        return self._keys[url]

    async def _confirm(self, url: str) -> None:
        if not url.startswith(self._sns):
            raise Forged("the address to confirm is not SNS's")
        answer = await self._http.request("GET", url)
        log.info("the subscription to the topic is confirmed", extra={"status": answer.status})


def routes(blocks: MailBlocks, context: Context, http: Http | None = None) -> list[Route]:
    settings = context.settings
    arn, secret = settings.get("mail_topic"), settings.get("mail_events_secret")
    topic = Topic(arn, http or Http()) if arn else None

    async def reports(request: Request, body: bytes) -> list[Report]:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() == "message/rfc822":
            given = request.headers.get("sekkei-secret", "")
            if not secret or not same(given, secret):
                raise Forged("the secret is wrong")
            return from_dsn(body)
        if topic is None:
            raise Forged("no topic is set")
        return await topic.read(body)

    @webhook
    @body_limit(BODY_BYTES_MAX)
    async def receive(request: Request) -> Response:
        if topic is None and not secret:
            return Response(status_code=404)
        try:
            found = await reports(request, await request.body())
        except Forged as forged:
            log.warning("a report about mails was refused", extra={"reason": str(forged)})
            return Response(status_code=403)
        for one in found:
            await blocks.block(one.email, one.reason, one.detail)
        return Response(status_code=204)

    return [Route("/mail-events", receive, methods=["POST"], name="mail-events")]
