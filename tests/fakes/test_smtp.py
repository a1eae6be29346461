"""The mail server's counterpart, judged by the standard library's client and by our own transport.

What our transport makes of refusals is in `test_smtp`.
"""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sekkei.clock import ManualClock
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.smtp import Smtp
from sekkei_fakes.smtp import SmtpCounterpart

TO = "aoi@example.com"


def certificate(folder: Path) -> Path:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    at = datetime(2020, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, at, at + timedelta(days=36_500))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = made.add_extension(names, critical=True).sign(key, hashes.SHA256())
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    (folder / "certificate.pem").write_bytes(signed.public_bytes(pem))
    return folder / "certificate.pem"


def message(to: str = TO, **body: Any) -> Message:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Message(
        id="m/1",
        system="t",
        kind="mail",
        to=to,
        body={"subject": "件名", "text": "本文", **body},
        created_at=now,
        listed_at=now,
    )


async def talked(server: SmtpCounterpart, talk: Callable[[smtplib.SMTP], Any]) -> Any:
    """What a client makes of it, in a thread: smtplib waits."""
    async with server.serve() as url:
        port = int(url.rpartition(":")[2])

        def client() -> Any:
            with smtplib.SMTP("127.0.0.1", port, timeout=30) as connection:
                return talk(connection)

        return await asyncio.to_thread(client)


async def sent(server: SmtpCounterpart, one: Message, user: str = "") -> str:
    async with server.serve() as url:
        return await Smtp(url.replace("smtp://", f"smtp://{user}"), "sekkei@example.com").send(one)


async def test_a_mail_arrives_as_it_was_sent() -> None:
    server = SmtpCounterpart(ManualClock())
    await sent(server, message(text="一行\n.点\n"))
    (mail,) = server.received(TO)
    body = mail.get_body(("plain",))
    assert body is not None
    assert (mail["Subject"], body.get_content().splitlines()) == ("件名", ["一行", ".点"])


async def test_who_is_unknown_is_refused_for_good_and_who_is_full_for_now() -> None:
    server = SmtpCounterpart(ManualClock(), unknown={"nobody@example.com"}, full={TO})
    with pytest.raises(Undeliverable, match=r"5\.1\.1"):
        await sent(server, message("nobody@example.com"))
    with pytest.raises(smtplib.SMTPRecipientsRefused, match=r"4\.2\.2"):
        await sent(server, message())
    assert server.mails == []


async def test_a_stranger_waits_before_the_first_mail_is_taken() -> None:
    clock = ManualClock()
    server = SmtpCounterpart(clock, greylist_seconds=60)
    with pytest.raises(smtplib.SMTPRecipientsRefused, match=r"4\.7\.1"):
        await sent(server, message())
    clock.advance(61)
    await sent(server, message())
    assert len(server.mails) == 1


async def test_what_is_too_big_is_refused_before_and_after_it_was_sent() -> None:
    server = SmtpCounterpart(ManualClock(), size_max=2_000)
    with pytest.raises(Undeliverable, match=r"5\.3\.4"):
        await sent(server, message(text="x\n" * 2_000))

    def unannounced(connection: smtplib.SMTP) -> int:
        connection.ehlo()
        connection.mail("a@example.com")
        connection.rcpt(TO)
        return connection.data(b"From: a@example.com\r\n\r\n" + b"x\r\n" * 2_000)[0]

    assert await talked(server, unannounced) == 552
    assert server.mails == []


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's, which everybody trusts."""
    made = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=str(made))
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    return context


async def test_tls_and_a_password_are_expected(tls: ssl.SSLContext) -> None:
    server = SmtpCounterpart(ManualClock(), "bot", "secret", tls)
    with pytest.raises(Rejected, match=r"5\.7\.8"):
        await sent(server, message(), "bot:wrong@")
    with pytest.raises(Rejected, match="Authentication required"):  # every other mail would be refused alike
        await sent(server, message())
    await sent(server, message(), "bot:secret@")
    async with server.serve(secure=True) as url:
        await Smtp(url.replace("//", "//bot:secret@"), "sekkei@example.com").send(message())
    assert len(server.mails) == 2

    def in_clear(connection: smtplib.SMTP) -> list[int]:
        connection.ehlo()
        return [connection.docmd("AUTH", "PLAIN AGJvdABzZWNyZXQ=")[0], connection.mail("a@example.com")[0]]

    assert await talked(server, in_clear) == [538, 530]


async def test_commands_have_an_order_and_a_form() -> None:
    def awry(connection: smtplib.SMTP) -> list[int]:
        codes = [connection.mail("a@example.com")[0], connection.docmd("EHLO")[0], connection.docmd("EHLO", "me")[0]]
        codes += [connection.rcpt(TO)[0], connection.docmd("MAIL", "FROM:a@example.com")[0]]
        codes += [connection.docmd("MAIL", "FROM:<a@example.com>")[0], connection.docmd("RCPT", "TO:<nobody>")[0]]
        codes += [connection.docmd("DATA")[0], connection.docmd("SING")[0], connection.docmd("NOOP", "x" * 600)[0]]
        return [*codes, connection.rset()[0], connection.verify(TO)[0]]

    expected = [503, 501, 250, 503, 501, 250, 501, 503, 500, 500, 250, 252]
    assert await talked(SmtpCounterpart(ManualClock()), awry) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Subject: x\r\n\r\nhello\r\n", b"5.7.1"),
        (b"From: a@example.com\r\n\r\n" + b"x" * 1_200 + b"\r\n", b"5.6.0"),
    ],
)
async def test_what_is_no_mail_is_refused(content: bytes, said: bytes) -> None:
    def send(connection: smtplib.SMTP) -> tuple[int, bytes]:
        connection.ehlo()
        connection.mail("a@example.com")
        connection.rcpt(TO)
        return connection.data(content)

    code, words = await talked(SmtpCounterpart(ManualClock()), send)
    assert (code, said in words) == (550, True)


HEAD = b"From: a@example.com\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\n"


async def data_of(server: SmtpCounterpart, content: bytes) -> bytes:
    """What is said to a mail."""

    def send(connection: smtplib.SMTP) -> bytes:
        connection.ehlo()
        connection.mail("a@example.com")
        connection.rcpt(TO)
        code, words = connection.data(content)
        return b"%d %s" % (code, words)

    said: bytes = await talked(server, send)
    return said


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (HEAD, b"250 2.0.0"),
        (b'From: "a, b" <a@example.com>\r\nDate: 1 Jan 2026 09:00 +0900\r\n', b"250 2.0.0"),
        (b"From: a@example.com\r\n", b"554 5.6.0"),
        (b"From: a@example.com\r\nDate: yesterday\r\n", b"554 5.6.0"),
        (b"From: somebody\r\n" + HEAD[21:], b"550 5.7.1"),
        (b"From: A <>\r\n" + HEAD[21:], b"550 5.7.1"),
        (b"From: A <a@-b.example>\r\n" + HEAD[21:], b"550 5.7.1"),
        (HEAD + HEAD[21:], b"550 5.7.1"),
        (HEAD + b"Subject: a\r\nSubject: b\r\n", b"550 5.7.1"),
    ],
)
async def test_a_mail_says_once_who_wrote_it_and_when(header: bytes, said: bytes) -> None:
    server = SmtpCounterpart(ManualClock())
    assert (await data_of(server, header + b"\r\nhello\r\n")).startswith(said)
    assert len(server.mails) == said.startswith(b"250")
    refusal = server.take("a@example.com", [TO], header + b"\r\nhello\r\n")
    assert (refusal or "250 2.0.0").startswith(said.decode()), "who has no connection is judged alike"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"." + b"x" * 997, b"250"),
        (b"." * 998, b"250"),
        (b"." + b"x" * 998, b"550 5.6.0"),
        (b"x" * 100_000, b"550 5.6.0"),
        (b"a\rb", b"550 5.6.11"),
    ],
)
async def test_a_line_has_998_octets_beside_a_dot_that_was_doubled(line: bytes, said: bytes) -> None:
    server = SmtpCounterpart(ManualClock())
    assert (await data_of(server, HEAD + b"\r\n" + line + b"\r\nend\r\n")).startswith(said)
    assert (server.take("a@example.com", [TO], HEAD + b"\r\n" + line + b"\r\n") is None) == (said == b"250")


async def test_eight_bits_are_announced() -> None:
    content = HEAD + "\r\n本文\r\n".encode()

    def talk(connection: smtplib.SMTP) -> None:
        connection.sendmail("a@example.com", [TO], content, ["BODY=8BITMIME"])

    server = SmtpCounterpart(ManualClock())
    await talked(server, talk)
    assert len(server.mails) == 1
    assert (await data_of(server, content)).startswith(b"554 5.6.3")
    assert (server.take("a@example.com", [TO], content) or "").startswith("554 5.6.3")


LABEL = "b" * 63


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("a" * 64 + "@example.com", 250),
        ("a" * 65 + "@example.com", 501),
        (f"a@{LABEL}.{LABEL}.{LABEL}.{LABEL}", 250),
        (f"a@{LABEL}.{LABEL}.{LABEL}.{LABEL}.c", 501),
        (f"a@{LABEL}b.com", 501),
        ("a@-bad..com", 501),
        ("a@bad-.com", 501),
        ("a@example.com.", 501),
        ("@", 501),
        ("@example.com", 501),
        ("a@[127.0.0.1]", 250),
        ("あ@example.com", 553),
        ("a@例.example", 553),
    ],
)
async def test_addresses_have_a_form(address: str, code: int) -> None:
    def talk(connection: smtplib.SMTP) -> list[int]:
        connection.ehlo()
        connection.command_encoding = "utf-8"
        codes = [connection.docmd("MAIL", f"FROM:<{address}>")[0], connection.docmd("RSET")[0]]
        return [*codes, connection.mail("a@example.com")[0], connection.docmd("RCPT", f"TO:<{address}>")[0]]

    server = SmtpCounterpart(ManualClock())
    assert await talked(server, talk) == [code, 250, 250, code]
    assert (server.take("a@example.com", [address], HEAD + b"\r\n") or "250").startswith(str(code))


async def test_parameters_are_those_that_were_offered() -> None:
    def talk(connection: smtplib.SMTP) -> list[int]:
        connection.ehlo()
        given = ["SIZE=10 BODY=8BITMIME", "SMTPUTF8", "RET=HDRS", "BODY=OCTETS", "SIZE=x", "SIZE=99999999"]
        codes = []
        for one in given:
            codes += [connection.docmd("MAIL", f"FROM:<a@example.com> {one}")[0]]
            connection.rset()
        codes += [connection.docmd("MAIL", "FROM:<a@example.com>SIZE=10")[0], connection.docmd("MAIL", "FROM:<>")[0]]
        return [*codes, connection.rcpt(TO, ["NOTIFY=NEVER"])[0], connection.rcpt(TO)[0]]

    expected = [250, 555, 555, 501, 501, 552, 501, 250, 555, 250]
    assert await talked(SmtpCounterpart(ManualClock()), talk) == expected


async def test_its_faults() -> None:
    server = SmtpCounterpart(ManualClock())
    server.faults.down = True
    with pytest.raises(smtplib.SMTPConnectError, match=r"4\.3\.2"):
        await sent(server, message())
    server.faults.down, server.faults.lose_answers = False, 1
    with pytest.raises(smtplib.SMTPServerDisconnected):
        await sent(server, message())
    assert len(server.mails) == 1, "taken, although nobody was told"
    assert isinstance(server.mails[0].message, EmailMessage)


@pytest.mark.parametrize("command", ["EHLO", "AUTH", "MAIL", "RCPT", "DATA", "NOOP", "QUIT"])
async def test_any_command_may_fail(command: str) -> None:
    server = SmtpCounterpart(ManualClock(), "bot", "secret")

    def talk(connection: smtplib.SMTP) -> None:
        server.faults.instead[command] = "451 4.3.0 Try again"
        assert connection.docmd(command) == (451, b"4.3.0 Try again")
        if command != "QUIT":
            assert connection.docmd("RSET")[0] == 250
            server.faults.instead[command] = "421 4.4.2 Timeout"
            assert connection.docmd(command)[0] == 421
        with pytest.raises(smtplib.SMTPServerDisconnected):
            connection.docmd("RSET")

    await talked(server, talk)
    server.faults.instead[command] = ""
    with pytest.raises(smtplib.SMTPServerDisconnected):
        await talked(server, lambda connection: connection.docmd(command))


@pytest.mark.parametrize("said", ["421 4.4.2 Timeout", "451 4.3.0 Try again", "452 4.3.1 No room", ""])
async def test_the_end_of_a_mail_may_fail(said: str) -> None:
    server = SmtpCounterpart(ManualClock())
    server.faults.instead["."] = said
    with pytest.raises(smtplib.SMTPServerDisconnected) if not said else nullcontext():
        assert (await data_of(server, HEAD)).startswith(said.encode() or b"?")
    assert server.mails == []


async def test_whoever_comes_may_be_refused() -> None:
    server = SmtpCounterpart(ManualClock())
    server.faults.instead["CONNECT"] = "554 5.7.1 Client host rejected"
    with pytest.raises(smtplib.SMTPConnectError, match=r"5\.7\.1"):
        await talked(server, lambda connection: connection.noop())


async def test_a_mail_is_taken_before_that_is_said() -> None:
    server = SmtpCounterpart(ManualClock())
    server.faults.slow_seconds = 0.2
    started = time.monotonic()
    assert (await data_of(server, HEAD)).startswith(b"250")
    assert time.monotonic() - started >= 0.2
    assert len(server.mails) == 1


async def test_a_user_writes_as_whom_they_may() -> None:
    server = SmtpCounterpart(ManualClock(), senders={"shop@example.com"})

    def talk(connection: smtplib.SMTP) -> list[int]:
        connection.ehlo()
        return [connection.mail("a@example.com")[0], connection.mail("shop@example.com")[0]]

    assert await talked(server, talk) == [550, 250]
