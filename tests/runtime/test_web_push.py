"""Web push: the vectors of RFC 8291, and a strict push service that says no in every way there is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime import days
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, TryAgain, Undeliverable
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.transports.web_push import (
    PAYLOAD_BYTES_MAX,
    DeviceGone,
    Keys,
    Vapid,
    WebPush,
    b64,
    claims_of,
    is_push_service,
    make_key,
    point,
    private_key,
    public_key,
    sealed,
    signed_token,
    unb64,
    unsealed,
    vapid_of,
)
from sekkei_fakes.served import Served, serve
from sekkei_fakes.web_push import PushService, Subscription

# RFC 8291, appendix A
PLAIN = "V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24"
AS_PRIVATE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
AS_PUBLIC = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
UA_PRIVATE = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
UA_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SEALED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
    "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
SUBJECT = "mailto:push@example.com"
KEY = make_key()


def test_the_vectors_of_rfc_8291() -> None:
    ours, theirs = private_key(AS_PRIVATE), private_key(UA_PRIVATE)
    assert (b64(point(ours.public_key())), b64(point(theirs.public_key()))) == (AS_PUBLIC, UA_PUBLIC)
    keys = Keys.of(UA_PUBLIC, AUTH)
    assert b64(sealed(unb64(PLAIN), keys, salt=unb64(SALT), ours=ours)) == SEALED
    assert unsealed(unb64(SEALED), theirs, unb64(AUTH)) == b"When I grow up, I want to be a watermelon"


def test_the_longest_payload_fits_and_no_longer_one() -> None:
    keys = Keys.of(UA_PUBLIC, AUTH)
    assert len(sealed(b"x" * PAYLOAD_BYTES_MAX, keys)) == 4_096
    with pytest.raises(Undeliverable):
        sealed(b"x" * (PAYLOAD_BYTES_MAX + 1), keys)


@pytest.mark.parametrize(
    ("p256dh", "auth"), [(UA_PUBLIC[:-2], AUTH), ("A" * 87, AUTH), (UA_PUBLIC, "AAAA"), ("!", AUTH), ("", "")]
)
def test_what_is_no_key_is_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Keys.of(p256dh, auth)


@pytest.mark.parametrize(
    ("key", "subject", "names"),
    [
        ("", SUBJECT, "PRIVATE_KEY"),
        ("abc", SUBJECT, "PRIVATE_KEY"),
        (AS_PRIVATE, "me", "SUBJECT"),
        (AS_PRIVATE, "", "SUBJECT"),
    ],
)
def test_half_a_setting_is_named(key: str, subject: str, names: str) -> None:
    with pytest.raises(ValueError, match=names):
        Vapid(key, subject, ManualClock(0.0))


def test_only_push_services_are_asked() -> None:
    for good in (
        "https://fcm.googleapis.com/fcm/send/x",
        "https://updates.push.services.mozilla.com/wpush/v2/x",
        "https://web.push.apple.com/x",
        "https://web.push.apple.com:443/x",
        "https://wns2-par02p.notify.windows.com/w/?token=x",
    ):
        assert is_push_service(good), good
    for bad in (
        "http://fcm.googleapis.com/x",
        "https://169.254.169.254/latest",
        "https://fcm.googleapis.com.evil.example/x",
        "https://evilpush.apple.com/x",
        "https://me@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:99999/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com:22/x",
        "https://@fcm.googleapis.com/x",
        "https://fcm.googleapis.com/x\r\nX: y",
        "file:///etc/passwd",
        "",
    ):
        assert not is_push_service(bad), bad


def test_an_operator_names_other_push_services_with_their_ports() -> None:
    named = "push.example.com, .push.example.org:8443,127.0.0.1:9"
    for good in (
        "https://push.example.com/x",
        "https://a.push.example.org:8443/x",
        "http://127.0.0.1:9/x",
        "https://web.push.apple.com/x",
    ):
        assert is_push_service(good, named), good
    for bad in (
        "https://push.example.com:8443/x",
        "https://a.push.example.org/x",
        "https://push.example.org:8443/x",
        "http://push.example.com/x",
        "http://127.0.0.1:10/x",
        "http://127.0.0.1/x",
    ):
        assert not is_push_service(bad, named), bad
    assert not is_push_service("http://10.0.0.1:9/x", "10.0.0.1:9")


@pytest.mark.parametrize(
    "wrong", ["https://push.example.com", "push.example.com:0", "push.example.com:x", "*.example.com"]
)
def test_what_is_no_host_is_named(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"SEKKEI_PUSH_HOSTS.*8443"):
        vapid_of(Settings(secrets=Secrets(b"a secret of the tests"), values={"push_hosts": wrong}), ManualClock(0.0))


def test_a_token_is_made_once_for_half_a_day() -> None:
    clock = ManualClock(1_000_000.0)
    vapid = Vapid(KEY, SUBJECT, clock)
    first = vapid.authorization("https://push.example/a")
    assert vapid.authorization("https://push.example/b") == first
    assert vapid.authorization("https://other.example/b") != first
    clock.advance(11.5 * 3600)
    assert vapid.authorization("https://push.example/a") != first
    token = first.partition("t=")[2].partition(",")[0]
    claims = claims_of(token, public_key(unb64(vapid.public)))
    assert claims == {"aud": "https://push.example", "exp": 1_000_000 + 12 * 3600, "sub": SUBJECT}
    with pytest.raises(ValueError, match="another key"):
        claims_of(token, ec.generate_private_key(ec.SECP256R1()).public_key())


class Line:
    """A push service over HTTP, and our end of it."""

    def __init__(self, clock: ManualClock, service: PushService, served: Served) -> None:
        self.clock, self.service, self.served = clock, service, served
        self.vapid = Vapid(KEY, SUBJECT, clock)
        self.push = WebPush(self.vapid, Http(), served.url.removeprefix("http://"))
        self.phone = service.subscribe(self.vapid.public)

    def message(self, to: Subscription | None = None, **body: Any) -> Message:
        phone, now = to or self.phone, days.now(self.clock)
        keys = {"p256dh": phone.p256dh, "auth": phone.auth}
        given = {"keys": keys, "payload": {"title": "Q."}, "ttl": 60, **body}
        return Message(
            id="q/x", system="q", kind="web-push", to=phone.endpoint, body=given, created_at=now, due_at=now,
            listed_at=now, expires=now, people=frozenset(), kept_days=7,
        )  # fmt: skip


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    clock = ManualClock(1_762_398_000.0)
    service = PushService(clock)
    async with serve(service) as served:
        service.url = served.url
        yield Line(clock, service, served)


async def test_the_browser_reads_what_was_sent(line: Line) -> None:
    receipt = await line.push.send(line.message(payload={"title": "Q.", "body": "好きな季節は？"}))
    assert receipt.startswith(f"{line.service.url}/message/")
    assert line.phone.received == [{"title": "Q.", "body": "好きな季節は？"}]


async def test_of_one_topic_the_last_arrives(line: Line) -> None:
    for text in ("一", "二"):
        await line.push.send(line.message(payload=text, topic="2025-11-06", urgency="high"))
    assert line.phone.received == ["二"]


async def test_every_no_of_the_service(line: Line) -> None:
    line.service.busy_seconds = 7
    with pytest.raises(TryAgain) as later:
        await line.push.send(line.message())
    assert later.value.seconds == 7
    line.service.busy_seconds = 0
    line.service.unsubscribe(line.phone)
    with pytest.raises(DeviceGone):
        await line.push.send(line.message())
    with pytest.raises(DeviceGone):  # 404
        await line.push.send(replace(line.message(), to=f"{line.service.url}/push/unknown"))
    other = line.service.subscribe(Vapid(make_key(), SUBJECT, line.clock).public)
    with pytest.raises(Rejected):  # made for another key
        await line.push.send(line.message(other))
    line.served.faults.down = True
    with pytest.raises(ConnectionError):
        await line.push.send(line.message())
    with pytest.raises(Undeliverable):
        await line.push.send(replace(line.message(), to="https://somewhere.example/x"))
    with pytest.raises(Undeliverable):
        await line.push.send(line.message(keys={"p256dh": "x", "auth": "y"}))


async def test_the_service_is_as_strict_as_it_should_be(line: Line) -> None:
    path = line.phone.endpoint.removeprefix(line.service.url)
    body = sealed(b"{}", Keys.of(line.phone.p256dh, line.phone.auth))
    good = {"authorization": line.vapid.authorization(line.phone.endpoint), "ttl": "0", "content-encoding": "aes128gcm"}
    key, now = private_key(KEY), int(line.clock.now())

    def by(**claims: Any) -> str:
        given = {"aud": line.service.url, "exp": now + 60, "sub": SUBJECT, **claims}
        return f"vapid t={signed_token(key, given)}, k={line.vapid.public}"

    wrong: list[tuple[int, dict[str, str], bytes]] = [
        (401, {**good, "authorization": "Bearer x"}, body),
        (403, {**good, "authorization": by(aud="https://other.example")}, body),
        (403, {**good, "authorization": by(exp=now - 1)}, body),
        (403, {**good, "authorization": by(exp=now + 25 * 3600)}, body),
        (403, {**good, "authorization": by(sub="")}, body),
        (403, {**good, "authorization": by()[:-4] + "AAAA"}, body),
        (400, {name: value for name, value in good.items() if name != "ttl"}, body),
        (415, {**good, "content-encoding": "aesgcm"}, body),
        (400, {**good, "urgency": "now"}, body),
        (400, {**good, "topic": "x" * 33}, body),
        (413, good, b"x" * 4_097),
        (400, good, body[:-1] + b"x"),
    ]
    for status, headers, content in wrong:
        assert (await line.service.answer("POST", path, headers, content)).status == status, (status, headers)
    assert (await line.service.answer("GET", path, good, body)).status == 405
    assert (await line.service.answer("POST", path, good, body)).status == 201
