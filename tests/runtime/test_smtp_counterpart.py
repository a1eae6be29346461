"""The mail server's counterpart, judged by the standard library's client and by our own transport."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from collections.abc import Callable
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
from sekkei.runtime.counterparts.smtp import SmtpCounterpart
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.smtp import Smtp

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


async def test_tls_and_a_password_are_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, tmp_path / "key.pem")
    server = SmtpCounterpart(ManualClock(), "bot", "secret", context)
    trusting = ssl.create_default_context(cafile=str(made))
    monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)
    with pytest.raises(Rejected, match=r"5\.7\.8"):
        await sent(server, message(), "bot:wrong@")
    with pytest.raises(Undeliverable, match="Authentication required"):
        await sent(server, message())
    await sent(server, message(), "bot:secret@")
    assert len(server.mails) == 1

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
