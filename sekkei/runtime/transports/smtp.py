"""Mail by SMTP: STARTTLS on 587, TLS from the start on 465."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from typing import Any
from urllib.parse import unquote, urlsplit

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.mail import as_email, sender_of

TIMEOUT_SECONDS = 30
"""For each answer, until the mail itself is sent."""
TAKING_SECONDS = 300
"""For each answer from DATA on: whoever hangs up before it is said that a mail was taken sends it twice. RFC 5321
(4.5.3.2.6) would wait for ten minutes. Five are what Postfix gives a filter to think, and leave a code to sign in,
which is good for ten, a second try. Only mails to the same address wait meanwhile, unless sixteen are kept waiting."""
QUIT_SECONDS = 2
CHECK_SECONDS = 5
AT_ONCE = 16
_AUTHENTICATION_REQUIRED, TOO_BIG = 530, 552


class Smtp:
    """One mail, one connection: mails of these systems are few, and a fresh connection is never stale."""

    at_once = AT_ONCE
    timeout_seconds = 10.0 * TIMEOUT_SECONDS + 2.0 * TAKING_SECONDS
    """More than all waits together: a thread cannot be stopped, and would still send what is tried again meanwhile."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError("SEKKEI_SMTP_URL must look like smtp://user:password@host:587.")
        self._secure = parts.scheme == "smtps"
        self._host = parts.hostname
        self._port = parts.port or (465 if self._secure else 587)
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._sender = sender_of(sender)
        self._threads = ThreadPoolExecutor(AT_ONCE, "sekkei-mail")

    async def send(self, message: Message) -> str:
        mail = as_email(message, self._sender)
        # smtplib waits for the network, so it waits in a thread; of its own, or all others would wait for it too.
        await asyncio.get_running_loop().run_in_executor(self._threads, self._send, mail)
        return str(mail["Message-ID"])

    async def check(self) -> None:
        """Whether a mail could be sent; none is."""
        await asyncio.to_thread(self._check)

    def _check(self) -> None:
        with self._session(CHECK_SECONDS) as connection:
            connection.noop()

    def _send(self, mail: EmailMessage) -> None:
        with self._session(TIMEOUT_SECONDS) as connection, _refusals(Undeliverable):
            connection.send_message(mail)

    @contextmanager
    def _session(self, seconds: float) -> Iterator[smtplib.SMTP]:
        """What is refused before there is talk of a mail is refused to us."""
        with _refusals(Rejected):
            connection = self._connected(seconds)
        try:
            with _refusals(Rejected):
                self._sign_in(connection)
            yield connection
        finally:
            _hang_up(connection)

    def _connected(self, seconds: float) -> smtplib.SMTP:
        if self._secure:
            context = ssl.create_default_context()
            return _PatientTls(self._host, self._port, timeout=seconds, context=context)
        return _Patient(self._host, self._port, timeout=seconds)

    def _sign_in(self, connection: smtplib.SMTP) -> None:
        connection.ehlo_or_helo_if_needed()
        if connection.has_extn("starttls") and not self._secure:
            connection.starttls(context=ssl.create_default_context())
        elif self._user and not self._secure:
            raise smtplib.SMTPNotSupportedError("The server offers no STARTTLS; a password is not sent in clear.")
        if self._user:
            connection.login(self._user, self._password)


class _Patient(smtplib.SMTP):
    def data(self, msg: Any) -> tuple[int, bytes]:
        if self.sock is not None:
            self.sock.settimeout(TAKING_SECONDS)
        return super().data(msg)


class _PatientTls(_Patient, smtplib.SMTP_SSL):
    pass


@contextmanager
def _refusals(means: type[Exception]) -> Iterator[None]:
    """What is refused for good means this; what is refused for now is tried again.

    MAIL says nothing of a mail but its size, and 530 nothing at all: that is about us wherever it is said.
    """
    try:
        yield
    except smtplib.SMTPNotSupportedError as error:
        raise means(str(error)) from None
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
        code = _code(error)
        if code < 500:
            raise
        ours = code == _AUTHENTICATION_REQUIRED or (isinstance(error, smtplib.SMTPSenderRefused) and code != TOO_BIG)
        raise (Rejected if ours else means)(str(error)) from None


def _code(error: smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused) -> int:
    if isinstance(error, smtplib.SMTPResponseException):
        return error.smtp_code
    return max(code for code, _ in error.recipients.values())  # there is one


def _hang_up(connection: smtplib.SMTP) -> None:
    """In short, and whatever is said to it: a mail that was taken was taken."""
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.settimeout(QUIT_SECONDS)
        connection.quit()
    connection.close()
