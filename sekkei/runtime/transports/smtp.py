"""Mail by SMTP: STARTTLS on 587, TLS from the start on 465."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.mail import as_email

TIMEOUT_SECONDS = 30
CHECK_SECONDS = 5


class Smtp:
    """One mail, one connection: mails of these systems are few, and a fresh connection is never stale."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or not sender:
            raise ValueError(
                "SEKKEI_SMTP_URL must look like smtp://user:password@host:587, and SEKKEI_MAIL_FROM be set."
            )
        self._secure = parts.scheme == "smtps"
        self._host = parts.hostname
        self._port = parts.port or (465 if self._secure else 587)
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._sender = sender

    async def send(self, message: Message) -> str:
        mail = as_email(message, self._sender)
        # smtplib waits for the network, so it waits in a thread.
        await asyncio.to_thread(self._send, mail)
        return str(mail["Message-ID"])

    async def check(self) -> None:
        """Whether a mail could be sent; none is."""
        await asyncio.to_thread(self._check)

    def _check(self) -> None:
        try:
            with self._connected(CHECK_SECONDS) as connection:
                if self._user:
                    connection.login(self._user, self._password)
                connection.noop()
        except smtplib.SMTPAuthenticationError as error:
            raise Rejected(str(error)) from None

    def _send(self, mail: EmailMessage) -> None:
        try:
            with self._connected() as connection:
                if self._user:
                    connection.login(self._user, self._password)
                connection.send_message(mail)
        except smtplib.SMTPRecipientsRefused as error:
            if all(code >= 500 for code, _ in error.recipients.values()):
                raise Undeliverable(str(error)) from None
            raise
        except smtplib.SMTPAuthenticationError as error:
            raise Rejected(str(error)) from None
        except smtplib.SMTPResponseException as error:
            if error.smtp_code >= 500:
                raise Undeliverable(str(error)) from None
            raise

    def _connected(self, seconds: float = TIMEOUT_SECONDS) -> smtplib.SMTP:
        if self._secure:
            return smtplib.SMTP_SSL(self._host, self._port, timeout=seconds, context=ssl.create_default_context())
        connection = smtplib.SMTP(self._host, self._port, timeout=seconds)
        connection.ehlo()
        if connection.has_extn("starttls"):
            connection.starttls(context=ssl.create_default_context())
            connection.ehlo()
        elif self._user:
            connection.close()
            raise smtplib.SMTPException("The server offers no STARTTLS; a password is not sent in clear.")
        return connection
