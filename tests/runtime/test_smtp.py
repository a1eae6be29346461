"""What comes of a mail, whatever the server says: sent once, tried again, kept until we are mended, given up."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports import smtp
from sekkei.runtime.transports.smtp import Smtp
from sekkei_fakes.smtp import SmtpCounterpart
from tests.fakes.test_smtp import message, sent
from tests.fakes.test_smtp import tls as tls

AGAIN = (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused, smtplib.SMTPServerDisconnected)


@pytest.mark.parametrize("said", ["421 4.4.2 Timeout", "500 5.5.1 What?", ""])
async def test_a_mail_that_was_taken_was_sent_whatever_comes_of_quit(said: str) -> None:
    server = SmtpCounterpart(ManualClock())
    server.faults.instead["QUIT"] = said
    await sent(server, message())
    assert len(server.mails) == 1


async def test_nobody_waits_for_the_answer_to_quit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "QUIT_SECONDS", 0.1)
    server = SmtpCounterpart(ManualClock())
    server.faults.silent.add("QUIT")
    async with asyncio.timeout(smtp.TIMEOUT_SECONDS / 2):
        await sent(server, message())


async def test_the_last_word_on_a_mail_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, get_reply = list[float | None](), smtplib.SMTP.getreply

    def noted(connection: smtplib.SMTP) -> tuple[int, bytes]:
        assert connection.sock is not None
        waits.append(connection.sock.gettimeout())
        return get_reply(connection)

    monkeypatch.setattr(smtplib.SMTP, "getreply", noted)
    server = SmtpCounterpart(ManualClock())
    await sent(server, message())
    assert len(server.mails) == 1
    before_data = len(waits) - 3
    from_data_on = [smtp.TAKING_SECONDS, smtp.TAKING_SECONDS, smtp.QUIT_SECONDS]
    assert waits == [smtp.TIMEOUT_SECONDS] * before_data + from_data_on


async def test_a_thread_ends_before_its_mail_is_tried_again() -> None:
    answers_before_data = 10  # greeting, two EHLO, STARTTLS, TLS, three of AUTH, MAIL, RCPT
    longest = answers_before_data * smtp.TIMEOUT_SECONDS + 2 * smtp.TAKING_SECONDS
    assert Smtp.timeout_seconds >= longest, "or a mail is sent by a thread that nobody asks any more"


async def test_a_mail_server_that_hangs_takes_nobody_elses_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    come = asyncio.Event()

    async def hang(talk: object) -> None:
        come.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("sekkei_fakes.smtp._Talk.hold", hang)
    server = SmtpCounterpart(ManualClock())
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with server.serve() as url:
        sending = asyncio.create_task(Smtp(url, "sekkei@example.com").send(message()))
        await come.wait()
        async with asyncio.timeout(smtp.TIMEOUT_SECONDS / 2):
            await asyncio.to_thread(int)
        assert not sending.done()
    with pytest.raises(smtplib.SMTPServerDisconnected):
        await sending


@pytest.mark.parametrize(
    ("command", "said", "meaning"),
    [
        ("CONNECT", "421 4.3.2 Busy", AGAIN),
        ("CONNECT", "554 5.7.1 Client host rejected", Rejected),
        ("EHLO", "421 4.3.2 Busy", AGAIN),
        ("STARTTLS", "454 4.7.0 TLS not available", AGAIN),
        ("STARTTLS", "502 5.5.1 Not implemented", Rejected),
        ("AUTH", "454 4.7.0 Temporary authentication failure", AGAIN),
        ("AUTH", "421 4.4.2 Timeout", AGAIN),
        ("AUTH", "535 5.7.8 Not accepted", Rejected),
        ("AUTH", "534 5.7.9 Mechanism too weak", Rejected),
        ("MAIL", "451 4.3.0 Try again", AGAIN),
        ("MAIL", "530 5.7.0 Authentication required", Rejected),
        ("MAIL", "550 5.7.1 Not owned by user", Rejected),
        ("MAIL", "553 5.1.8 No such domain", Rejected),
        ("MAIL", "552 5.3.4 Too big", Undeliverable),
        ("RCPT", "421 4.4.2 Timeout", AGAIN),
        ("RCPT", "452 4.2.2 Full", AGAIN),
        ("RCPT", "530 5.7.0 Authentication required", Rejected),
        ("RCPT", "550 5.1.1 Unknown", Undeliverable),
        ("RCPT", "550 5.7.1 Not wanted", Undeliverable),
        ("DATA", "421 4.4.2 Timeout", AGAIN),
        ("DATA", "554 5.5.1 No valid recipients", Undeliverable),
        (".", "451 4.3.0 Try again", AGAIN),
        (".", "452 4.3.1 No room", AGAIN),
        (".", "550 5.7.1 Spam", Undeliverable),
        (".", "", AGAIN),
    ],
)
async def test_what_is_refused_to_us_and_what_to_a_mail(
    command: str, said: str, meaning: type[Exception], tls: ssl.SSLContext
) -> None:
    server = SmtpCounterpart(ManualClock(), "bot", "secret", tls)
    server.faults.instead[command] = said
    with pytest.raises(meaning):
        await sent(server, message(), "bot:secret@")
    assert server.mails == []
    server.faults.instead.clear()
    await sent(server, message(), "bot:secret@")


async def test_somebody_elses_address_is_not_ours_to_write_from(tls: ssl.SSLContext) -> None:
    server = SmtpCounterpart(ManualClock(), "bot", "secret", tls, senders={"shop@example.com"})
    with pytest.raises(Rejected, match=r"5\.7\.1"):
        await sent(server, message(), "bot:secret@")


async def test_a_server_that_takes_no_password_is_not_the_one_we_were_told_of(tls: ssl.SSLContext) -> None:
    for server in (SmtpCounterpart(ManualClock()), SmtpCounterpart(ManualClock(), tls=tls)):
        with pytest.raises(Rejected, match=r"STARTTLS|AUTH"):
            await sent(server, message(), "bot:secret@")


async def test_looking_whether_a_mail_could_be_sent(tls: ssl.SSLContext) -> None:
    server = SmtpCounterpart(ManualClock(), "bot", "secret", tls)
    async with server.serve() as url:
        transport = Smtp(url.replace("//", "//bot:secret@"), "sekkei@example.com")
        await transport.check()
        server.faults.instead["AUTH"] = "454 4.7.0 Temporary authentication failure"
        with pytest.raises(smtplib.SMTPAuthenticationError):
            await transport.check()
        server.faults.instead["AUTH"] = "535 5.7.8 Not accepted"
        with pytest.raises(Rejected):
            await transport.check()


async def test_an_address_beyond_ascii_is_given_up_at_once() -> None:
    with pytest.raises(Undeliverable, match="SMTPUTF8"):
        await sent(SmtpCounterpart(ManualClock()), message("あおい@example.com"))


@pytest.mark.parametrize("sender", ["", "no address", "sekkei@例.example", "a@"])
def test_who_mails_are_from_is_looked_at_before_the_first(sender: str) -> None:
    with pytest.raises(ValueError, match="SEKKEI_MAIL_FROM"):
        Smtp("smtp://localhost", sender)
