from __future__ import annotations

import asyncio
import email
import email.policy
import gzip
import ipaddress
import json
import ssl
from datetime import datetime
from typing import Any

import pytest
from linebot.v3.webhook import SignatureValidator

from sekkei.clock import ManualClock
from sekkei.errors import NoAnswer
from sekkei.kit.webhooks import message_id, signed
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.settings import Settings
from sekkei.runtime.transports import configured
from sekkei.runtime.transports.expo import DeviceGone, Expo
from sekkei.runtime.transports.line import ChannelSecrets, LineApi
from sekkei.runtime.transports.line import signature as line_signature
from sekkei.runtime.transports.mail import as_email
from sekkei.runtime.transports.ses import Ses
from sekkei.runtime.transports.smtp import Smtp
from sekkei.runtime.transports.webhook import Resolve, Sender, Webhook, is_public
from sekkei.testing import make
from sekkei_systems.days import JST
from tests.runtime.servers import http_server, smtp_server

SENDER = "タスク <no-reply@example.com>"


def message(to: str = "花子 <hanako@example.jp>", **body: Any) -> Message:
    body = body or {"subject": "招待: 開発チーム", "text": "こんにちは", "html": "<p>こんにちは</p>"}
    return make(Message, id="tasks/invite/1", kind="mail", to=to, body=body)


async def test_smtp_delivers_a_mail_that_mail_programs_can_read() -> None:
    async with smtp_server() as server:
        await Smtp(server.url, SENDER).send(message())
    (raw,) = server.mails
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert mail["Subject"] == "招待: 開発チーム"
    assert mail["To"].addresses[0].display_name == "花子"
    assert mail["Auto-Submitted"] == "auto-generated"
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().strip() == "こんにちは"
    assert "<p>こんにちは</p>" in html.get_content()


async def test_a_refused_recipient_is_not_tried_again() -> None:
    async with smtp_server() as server:
        with pytest.raises(Undeliverable):
            await Smtp(server.url, SENDER).send(message(to="nobody@example.com"))


def test_a_name_cannot_break_out_of_its_header() -> None:
    mail = as_email(
        message(to="Eve\r\nBcc: all@example.com <e@example.com>", subject="a\r\nBcc: x@y.z", text=""), SENDER
    )
    assert mail["Bcc"] is None
    assert [found.addr_spec for found in mail["To"].addresses] == ["e@example.com"]
    assert "\n" not in mail["Subject"]
    assert as_email(message(), SENDER)["Message-ID"] == as_email(message(), SENDER)["Message-ID"]


def test_a_mail_has_the_date_of_its_reason_however_often_it_is_tried() -> None:
    tokyo = datetime(2026, 1, 1, 8, 59, 30, tzinfo=JST)
    tries = [
        make(Message, kind="mail", to="e@example.com", body={}, created_at=tokyo, attempts=number) for number in (1, 2)
    ]
    assert [as_email(one, SENDER)["Date"] for one in tries] == ["Wed, 31 Dec 2025 23:59:30 +0000"] * 2


@pytest.mark.parametrize("to", ["", "no address", "@example.com", "a@", "a b@example.com", "a@b.c, d@e.f", "<>"])
def test_what_is_no_address_is_undeliverable(to: str) -> None:
    with pytest.raises(Undeliverable):
        as_email(message(to=to), SENDER)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")


@pytest.mark.usefixtures("aws")
async def test_ses_sends_signed_and_gives_the_message_id(clock: ManualClock) -> None:
    async with http_server((200, {}, {"MessageId": "m-1"})) as server:
        assert await Ses("ap-northeast-1", SENDER, Http(), clock, server.url).send(message()) == "m-1"
    (request,) = server.received
    assert (request.method, request.path) == ("POST", "/v2/email/outbound-emails")
    assert "/ap-northeast-1/ses/aws4_request" in request.headers["authorization"]
    content = request.json["Content"]["Simple"]
    assert content["Subject"] == {"Data": "招待: 開発チーム", "Charset": "UTF-8"}
    assert request.json["Destination"]["ToAddresses"] == ["花子 <hanako@example.jp>"]


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("status", "error", "raised"),
    [
        (400, "MessageRejected", Undeliverable),
        (400, "MailFromDomainNotVerifiedException", Rejected),  # so it is with every other mail
        (400, "AccountSuspendedException", Rejected),
        (429, "TooManyRequestsException", ConnectionError),
        (400, "SendingPausedException", Rejected),
    ],
)
async def test_ses_errors(clock: ManualClock, status: int, error: str, raised: type[Exception]) -> None:
    async with http_server((status, {"x-amzn-ErrorType": error}, {"message": "no"})) as server:
        with pytest.raises(raised, match=error):
            await Ses("ap-northeast-1", SENDER, Http(), clock, server.url).send(message())


async def test_expo() -> None:
    ok = (200, {}, {"data": {"status": "ok", "id": "ticket"}})
    gone = (200, {}, {"data": {"status": "error", "message": "x", "details": {"error": "DeviceNotRegistered"}}})
    busy = (200, {}, {"data": {"status": "error", "message": "x", "details": {"error": "MessageRateExceeded"}}})
    async with http_server(ok, gone, busy, (500, {}, {})) as server:
        expo = Expo(server.url, "secret", Http(), ManualClock())
        push = message(to="ExponentPushToken[x]", title="Q.", body="今日の質問")
        assert await expo.send(push) == "ticket"
        with pytest.raises(DeviceGone):
            await expo.send(push)
        for _ in range(2):
            with pytest.raises(ConnectionError):
                await expo.send(push)
    assert server.received[0].json == {"to": "ExponentPushToken[x]", "title": "Q.", "body": "今日の質問"}
    assert server.received[0].headers["authorization"] == "Bearer secret"


def pushes(count: int) -> list[Message]:
    return [message(to=f"ExponentPushToken[{n}]", body="今日の質問") for n in range(count)]


def ticket(id: str) -> dict[str, Any]:
    return {"status": "ok", "id": id}


async def test_expo_takes_many_in_one_request_and_a_ticket_belongs_to_its_message() -> None:
    gone = {"status": "error", "message": "x", "details": {"error": "DeviceNotRegistered"}}
    tickets = [ticket("t0"), gone, *(ticket(f"t{n}") for n in range(2, 100))]
    async with http_server((200, {}, {"data": tickets})) as server:
        found = await Expo(server.url, "", Http(), ManualClock()).send_many(pushes(100))
    assert [one.headers["content-encoding"] for one in server.received] == ["gzip"]
    sent = json.loads(gzip.decompress(server.received[0].body))
    assert [one["to"] for one in sent] == [f"ExponentPushToken[{n}]" for n in range(100)]
    assert isinstance(found[1], DeviceGone)
    assert [one for one in found if isinstance(one, str)] == ["t0", *(f"t{n}" for n in range(2, 100))]


async def test_expo_what_is_sent_at_one_moment_goes_together() -> None:
    answers = [(200, {}, {"data": [ticket(f"{at}-{n}") for n in range(size)]}) for at, size in enumerate((100, 30))]
    async with http_server(*answers) as server:
        expo = Expo(server.url, "", Http(), ManualClock())
        found = await asyncio.gather(*(expo.send(one) for one in pushes(130)))
    assert len(server.received) == 2
    assert sorted(found) == sorted([*(f"0-{n}" for n in range(100)), *(f"1-{n}" for n in range(30))])


async def test_expo_one_bad_message_does_not_keep_the_others_back() -> None:
    refused = (400, {}, {"errors": [{"code": "PUSH_TOO_MANY_EXPERIENCE_IDS", "message": "two projects"}]})
    bad = (400, {}, {"errors": [{"code": "VALIDATION_ERROR", "message": "no"}]})
    async with http_server(refused, (200, {}, {"data": ticket("a")}), bad, (200, {}, {"data": ticket("c")})) as server:
        found = await Expo(server.url, "", Http(), ManualClock()).send_many(pushes(3))
    assert (found[0], found[2]) == ("a", "c")
    assert isinstance(found[1], Undeliverable)
    assert "VALIDATION_ERROR" in str(found[1])


@pytest.mark.parametrize(
    ("status", "error"), [(429, ConnectionError), (500, ConnectionError), (503, ConnectionError), (401, Rejected)]
)
async def test_expo_all_are_tried_again_later(status: int, error: type[Exception]) -> None:
    async with http_server((status, {}, {"errors": [{"code": "TOO_MANY_REQUESTS", "message": "x"}]})) as server:
        found = await Expo(server.url, "", Http(), ManualClock()).send_many(pushes(3))
    assert [type(one) for one in found] == [error] * 3
    assert len(server.received) == 1


async def test_expo_a_wrong_number_of_tickets_is_nobodys() -> None:
    async with http_server((200, {}, {"data": [ticket("a")]})) as server:
        found = await Expo(server.url, "", Http(), ManualClock()).send_many(pushes(2))
    assert [type(one) for one in found] == [ConnectionError] * 2


async def test_expo_what_is_too_long_is_not_sent_at_all() -> None:
    async with http_server((200, {}, {"data": ticket("a")})) as server:
        long = message(to="ExponentPushToken[x]", body="あ" * 2000)
        found = await Expo(server.url, "", Http(), ManualClock()).send_many([long, *pushes(1)])
    assert isinstance(found[0], Undeliverable)
    assert found[1] == "a"
    assert len(server.received) == 1


async def test_expo_six_hundred_a_second() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    answers = [(200, {}, {"data": [ticket(str(n)) for n in range(100)]}) for _ in range(7)]
    async with http_server(*answers) as server:
        expo = Expo(server.url, "", Http(), ManualClock(), sleep)
        await asyncio.gather(*(expo.send_many(pushes(100)) for _ in range(7)))
    assert waited == pytest.approx([number / 6 for number in range(1, 7)]), "the seventh hundred in the next second"


async def test_line_takes_a_push_once() -> None:
    ok, again = (200, {"X-Line-Request-Id": "r1"}, {}), (409, {"X-Line-Accepted-Request-Id": "r1"}, {})
    async with http_server(ok, again, (429, {}, {}), (500, {}, {}), (400, {}, {"message": "bad"})) as server:
        line = LineApi("secret", Http(), ManualClock(), server.url)
        push = message(to="U1", messages='[{"type":"text","text":"空きが出ました"}]')
        assert [await line.send(push), await line.send(push)] == ["r1", "r1"]
        for _ in range(2):
            with pytest.raises(ConnectionError):
                await line.send(push)
        with pytest.raises(Undeliverable, match="bad"):
            await line.send(push)
    assert server.received[0].json == {"to": "U1", "messages": [{"type": "text", "text": "空きが出ました"}]}
    assert server.received[0].headers["authorization"] == "Bearer secret"
    assert len({one.headers["x-line-retry-key"] for one in server.received}) == 1


async def test_line_is_not_asked_again_when_the_month_is_used_up() -> None:
    full = {"message": "You have reached your monthly limit."}
    async with http_server((429, {}, full)) as server:
        with pytest.raises(Undeliverable, match="monthly limit"):
            await LineApi("secret", Http(), ManualClock(), server.url).send(message(to="U1", messages="[]"))


def test_line_signatures_are_those_of_its_own_library() -> None:
    validator = SignatureValidator("secret")
    body = '{"events":[],"text":"🐾"}'
    signed = line_signature(b"secret", body.encode())
    assert validator.validate(body, signed)
    assert not SignatureValidator("other").validate(body, signed)


@pytest.mark.parametrize(
    ("secret", "previous", "otherwise", "taken"),
    [
        ("secret", "", [], True),
        ("new", "secret", [], True),
        ("", "secret", [], False),  # a channel that was switched off
        ("new", "", [], False),
        ("", "", [], False),
        ("", "", [b"secret"], True),
        ("new", "", [b"secret"], False),  # with a channel, what stands in for one opens nothing
    ],
)
def test_webhooks_of_line_are_signed_by_one_of_the_secrets(
    secret: str, previous: str, otherwise: list[bytes], taken: bool
) -> None:
    values = {"line_channel_secret": secret, "line_channel_secret_previous": previous}
    secrets = ChannelSecrets.configured(Settings(values=values), *otherwise)
    assert secrets.have_signed(b"{}", line_signature(b"secret", b"{}")) is taken
    for given in (None, "", "あ", line_signature(b"secret", b"{} ")):
        assert not secrets.have_signed(b"{}", given)


LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]


def resolving(*answers: list[str]) -> Resolve:
    """Names stand for these, one answer after the other."""
    left = list(answers)

    async def resolve(host: str, port: int) -> list[str]:
        return left.pop(0)

    return resolve


async def test_webhooks_are_signed(clock: ManualClock) -> None:
    async with http_server((204, {}, None), (410, {}, None)) as server:
        webhook = Webhook(Sender(clock, LOOPBACK), [b"s"])
        await webhook.send(message(to=server.url, x=1))
        (request,) = server.received
        expected = signed([b"s"], message_id("tasks/invite/1"), int(clock.now()), request.body)
        assert {name: request.headers[name] for name in expected} == expected
        with pytest.raises(Undeliverable):
            await webhook.send(message(to=server.url, x=1))


async def test_webhooks_stay_out_of_private_networks(clock: ManualClock) -> None:
    async with http_server((204, {}, None)) as server:
        with pytest.raises(Undeliverable, match="private network"):
            await Webhook(Sender(clock), [b"s"]).send(message(to=server.url, x=1))
        named = server.url.replace("127.0.0.1", "hooks.example")
        with pytest.raises(Undeliverable, match="private network"):  # one of several is enough
            await Webhook(Sender(clock, resolve=resolving(["93.184.216.34", "127.0.0.1"])), [b"s"]).send(
                message(to=named, x=1)
            )
        with pytest.raises(Undeliverable, match="endpoint URL"):
            await Webhook(Sender(clock), [b"s"]).send(message(to="file:///etc/passwd", x=1))
        assert server.received == []


async def test_a_webhook_goes_to_the_very_address_that_was_looked_at(clock: ManualClock) -> None:
    """The name stands for another address when it is asked for a second time, so it is not."""
    async with http_server((204, {}, None)) as server:
        named = server.url.replace("127.0.0.1", "hooks.example")
        webhook = Webhook(Sender(clock, LOOPBACK, resolving(["127.0.0.1"])), [b"s"])
        await webhook.send(message(to=named + "/in?x=1", x=1))
        (request,) = server.received
        assert request.headers["host"] == named.removeprefix("http://")
        assert request.path == "/in?x=1"


async def test_the_receivers_certificate_is_asked_for_by_its_name(clock: ManualClock) -> None:
    names: list[str | None] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.sni_callback = lambda connection, name, context: names.append(name)
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    webhook = Webhook(Sender(clock, LOOPBACK, resolving(["127.0.0.1"])), [b"s"])
    with pytest.raises(NoAnswer):  # it has no certificate to show
        await webhook.send(message(to=f"https://hooks.example:{port}/", x=1))
    server.close()
    assert names == ["hooks.example"]


async def test_a_webhook_follows_no_redirect_and_reads_no_long_answer(clock: ManualClock) -> None:
    async with http_server((302, {"Location": "http://169.254.169.254/"}, None), (200, {}, "x" * 100_000)) as server:
        webhook = Webhook(Sender(clock, LOOPBACK), [b"s"])
        with pytest.raises(Undeliverable, match="redirects are not followed"):
            await webhook.send(message(to=server.url, x=1))
        with pytest.raises(NoAnswer, match="longer than 65536 bytes"):
            await webhook.send(message(to=server.url, x=1))
        assert len(server.received) == 2


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "192.168.0.1", "224.0.0.1",
        "255.255.255.255", "::",
        "::1", "fe80::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::a9fe:a9fe",
    ],
)  # fmt: skip
def test_addresses_that_are_not_of_the_internet(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_internet(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


def test_only_what_is_set_up_is_in_force(clock: ManualClock) -> None:
    assert configured(Settings(), clock, Http()) == {}
    values = {
        "mail_from": SENDER,
        "smtp_url": "smtp://localhost",
        "expo_url": "https://exp.host/--/api/v2/push",
        "line_channel_token": "t",
    }
    found = configured(Settings(values=values), clock, Http())
    assert sorted(found) == ["line", "mail", "push"]
    with pytest.raises(ValueError, match="SEKKEI_MAIL_FROM"):
        configured(Settings(values={"smtp_url": "smtp://localhost"}), clock, Http())
    with pytest.raises(ValueError, match=r"SEKKEI_WEBHOOK_SECRET .* at least 16 bytes"):
        configured(Settings(values={"webhook_secret": "whsec_"}), clock, Http())
    with pytest.raises(ValueError, match="SEKKEI_WEBHOOK_ALLOW"):
        configured(Settings(values={"webhook_secret": "a secret of hooks", "webhook_allow": "here"}), clock, Http())
