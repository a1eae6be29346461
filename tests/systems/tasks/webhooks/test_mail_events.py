"""Reports about mails: believed when they are signed."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from sekkei.store.http import Answer
from sekkei.web.testing import opened
from sekkei.web.testing import test_settings as settings_of_a_test
from sekkei_systems.tasks.rules.mails import Report
from sekkei_systems.tasks.system import SYSTEM
from sekkei_systems.tasks.webhooks.mail_events import _SIGNED, Forged, Topic
from tests.systems.tasks.rules.test_mails import BOUNCED, DSN

ARN = "arn:aws:sns:ap-northeast-1:123456789012:mails"
CERTIFICATE = "https://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-0123abcd.pem"
KEY = rsa.generate_private_key(65537, 2048)


def _pem() -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    made = made.serial_number(7).not_valid_before(datetime(2025, 1, 1, tzinfo=UTC))
    return made.not_valid_after(datetime(2035, 1, 1, tzinfo=UTC)).sign(KEY, SHA256()).public_bytes(Encoding.PEM)


class Web:
    """What is asked of the outside."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def request(self, method: str, url: str) -> Answer:
        self.asked.append(url)
        return Answer(200, {}, _pem())


def message(event: Any = BOUNCED, *, version: str = "2", **changes: str) -> dict[str, str]:
    found = {
        "Type": "Notification",
        "MessageId": "1",
        "TopicArn": ARN,
        "Message": event if isinstance(event, str) else orjson.dumps(event).decode(),
        "Timestamp": "2025-11-06T03:00:00.000Z",
        "SignatureVersion": version,
        "SigningCertURL": CERTIFICATE,
        **changes,
    }
    said = "".join(f"{name}\n{found[name]}\n" for name in _SIGNED[found["Type"]] if name in found)
    digest = SHA256() if version == "2" else SHA1()
    return {**found, "Signature": base64.b64encode(KEY.sign(said.encode(), padding.PKCS1v15(), digest)).decode()}


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_signed_report_is_read(version: str) -> None:
    web = Web()
    topic = Topic(ARN, web)  # type: ignore[arg-type]
    body = orjson.dumps(message(version=version))
    assert await topic.read(body) == [Report("jane@example.com", "bounce", "smtp; 550 5.1.1")]
    await topic.read(body)
    assert web.asked == [CERTIFICATE]  # the certificate is kept


async def test_a_subscription_is_confirmed_only_at_sns() -> None:
    web = Web()
    topic = Topic(ARN, web)  # type: ignore[arg-type]
    kind = {"Type": "SubscriptionConfirmation", "Token": "t"}
    address = "https://sns.ap-northeast-1.amazonaws.com/?Action=ConfirmSubscription"
    assert await topic.read(orjson.dumps(message("confirm", SubscribeURL=address, **kind))) == []
    assert web.asked[-1] == address
    with pytest.raises(Forged):
        await topic.read(orjson.dumps(message("confirm", SubscribeURL="https://evil.example/", **kind)))
    assert "https://evil.example/" not in web.asked


@pytest.mark.parametrize(
    "changes",
    [
        {"Message": "{}"},
        {"TopicArn": "arn:aws:sns:ap-northeast-1:1:other"},
        {"Signature": "AAAA"},
        {"Signature": "no base64!"},
        {"SigningCertURL": "https://evil.example/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "https://sns.ap-northeast-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "http://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "https://sns.s3.amazonaws.com/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem"},
        {"SigningCertURL": "https://sns.ap-northeast-1.amazonaws.com/x/SimpleNotificationService-1.pem"},
        {"Type": "Other"},
    ],
)
async def test_what_is_forged_is_not_believed(changes: dict[str, str]) -> None:
    with pytest.raises(Forged):
        await Topic(ARN, Web()).read(orjson.dumps({**message(), **changes}))  # type: ignore[arg-type]


async def test_a_certificate_that_sns_does_not_have_is_forged() -> None:
    class Nothing(Web):
        async def request(self, method: str, url: str) -> Answer:
            return Answer(404, {}, b"")

    with pytest.raises(Forged):
        await Topic(ARN, Nothing()).read(orjson.dumps(message()))  # type: ignore[arg-type]


async def test_nonsense_is_not_believed_either() -> None:
    for body in (b"", b"[]", b"{", b"null"):
        with pytest.raises(Forged):
            await Topic(ARN, Web()).read(body)  # type: ignore[arg-type]


SECRET = "a secret for the mail server"


async def test_the_endpoint_believes_nobody_without_proof() -> None:
    chosen = settings_of_a_test(values={"mail_topic": ARN, "mail_events_secret": SECRET})
    async with opened(SYSTEM, settings=chosen) as client:
        blocks = client.shell.deployment.systems["tasks"].parts.service.blocks
        mail = {"content-type": "message/rfc822"}
        for headers, body in (
            (mail, DSN),
            ({**mail, "sekkei-secret": "wrong"}, DSN),
            ({"content-type": "text/plain"}, b"nonsense"),
            ({"content-type": "text/plain"}, orjson.dumps({**message(), "TopicArn": "another"})),
        ):
            assert (await client.request("POST", "/tasks/mail-events", body, headers)).status == 403
        assert await blocks.of("gone@example.com") is None
        proof = {**mail, "sekkei-secret": SECRET}
        assert (await client.request("POST", "/tasks/mail-events", DSN, proof)).status == 204
        found = await blocks.of("gone@example.com")
        assert (found.reason, found.detail) == ("bounce", "smtp; 550 no such user")
