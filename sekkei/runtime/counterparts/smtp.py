"""A mail server as strict as those that mails meet: it expects STARTTLS and a password, has limits, and refuses.

    smtp = SmtpCounterpart(clock, user="bot", password="secret", tls=context)
    smtp.unknown.add("nobody@example.com")          # 550 5.1.1, for good
    smtp.greylist_seconds = 60                      # 451 4.7.1 for who writes to somebody for the first time
    async with smtp.serve() as url:                 # smtp://127.0.0.1:2525
        …
    smtp.received("somebody@example.com")           # mails, as they were sent

Codes are those of RFC 5321, 3463 (enhanced codes), 1870 (SIZE), 3207 (STARTTLS), 4954 (AUTH) and 6647 (greylisting).
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from sekkei.clock import Clock

COMMAND_BYTES_MAX, LINE_BYTES_MAX = 512, 1_000
"""With the end of the line (RFC 5321, 4.5.3.1)."""
RECIPIENTS_MAX = 100
SIZE_MAX = 10 * 1024 * 1024
SAID = {
    "RSET": "250 2.0.0 Ok",
    "NOOP": "250 2.0.0 Ok",
    "VRFY": "252 2.5.2 Send some mail, I will try my best",
    "QUIT": "221 2.0.0 Bye",
}
"""Where nothing is to be thought over."""
_MAIL = re.compile(r"FROM:<([^<>\s]*)>(.*)", re.IGNORECASE)
_RCPT = re.compile(r"TO:<([^<>\s]+@[^<>\s]+)>\s*", re.IGNORECASE)
_SIZE = re.compile(r"\bSIZE=(\d+)", re.IGNORECASE)


@dataclass(slots=True)
class Faults:
    """Switched on and off while it runs."""

    down: bool = False
    """Whoever connects hears 421."""
    hang: bool = False
    """Nobody hears anything."""
    lose_answers: int = 0
    """So many mails are taken, and the connection ends before that is said."""


@dataclass(frozen=True, slots=True)
class Mail:
    at: float
    sender: str
    recipients: tuple[str, ...]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        return message_from_bytes(self.content, policy=policy.default)


@dataclass
class SmtpCounterpart:
    clock: Clock
    user: str = ""
    password: str = ""
    """With a user, nothing is taken from whoever has not signed in; and nobody signs in without TLS."""
    tls: ssl.SSLContext | None = None
    size_max: int = SIZE_MAX
    greylist_seconds: float = 0.0
    unknown: set[str] = field(default_factory=set)
    """Addresses that nobody has."""
    full: set[str] = field(default_factory=set)
    """Mailboxes without room, for now."""
    mails: list[Mail] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    heard: Callable[[Mail], None] = lambda mail: None
    """Told of every mail that is taken."""
    _first_seen: dict[tuple[str, str], float] = field(default_factory=dict)

    def received(self, address: str) -> list[EmailMessage]:
        return [one.message for one in self.mails if address in one.recipients]

    @asynccontextmanager
    async def serve(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
        """Until the block ends; on a free port unless one is given."""
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = cast("asyncio.Task[None]", asyncio.current_task())
            talks.add(task)
            try:
                await _Talk(self, reader, writer).hold()
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
                pass  # whoever wrote has gone, or the server stops
            finally:
                talks.discard(task)
                writer.close()

        server = await asyncio.start_server(talk, host, port, limit=64 * 1024)
        try:
            yield f"smtp://{host}:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for task in talks:
                task.cancel()

    def refusal_of(self, sender: str, recipient: str) -> str | None:
        """Why this recipient gets nothing, now or ever."""
        if recipient in self.unknown:
            return "550 5.1.1 The email account that you tried to reach does not exist"
        if recipient in self.full:
            return "452 4.2.2 The recipient's mailbox is full"
        first = self._first_seen.setdefault((sender, recipient), self.clock.now())
        if self.clock.now() - first < self.greylist_seconds:
            return "451 4.7.1 Greylisting in action, please come back later"
        return None


class _Refused(Exception):
    """The reply to a command that cannot be carried out."""


class _Talk:
    """One connection."""

    def __init__(self, server: SmtpCounterpart, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server, self._reader, self._writer = server, reader, writer
        self._greeted = self._secure = self._known = False
        self._sender: str | None = None
        self._recipients: list[str] = []

    async def hold(self) -> None:
        if self._server.faults.hang:
            await asyncio.Event().wait()
        if self._server.faults.down:
            await self._say("421 4.3.2 Service not available, closing transmission channel")
            return
        await self._say("220 counterpart ESMTP")
        verb = ""
        while verb != "QUIT":
            try:
                verb, _, rest = (await self._line(COMMAND_BYTES_MAX)).partition(" ")
                verb = verb.upper()
                await self._say(await self._answer(verb, rest.strip()))
            except _Refused as refused:
                await self._say(str(refused))
                continue
            if verb == "STARTTLS" and self._server.tls is not None:
                await self._writer.start_tls(self._server.tls)
                self._secure, self._greeted = True, False

    async def _line(self, most: int) -> str:
        found = await self._reader.readline()
        if not found:
            raise ConnectionResetError
        if not found.endswith(b"\r\n"):
            raise _Refused("500 5.5.2 Lines end in CRLF")
        if len(found) > most:
            raise _Refused("500 5.5.2 Line too long")
        return found[:-2].decode("utf-8", "replace")

    async def _say(self, reply: str) -> None:
        self._writer.write(reply.replace("\n", "\r\n").encode() + b"\r\n")
        await self._writer.drain()

    async def _answer(self, verb: str, rest: str) -> str:
        known = {
            "EHLO": self._ehlo,
            "HELO": self._ehlo,
            "STARTTLS": self._starttls,
            "AUTH": self._auth,
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
        }
        if verb in known:
            return await known[verb](rest)
        if verb == "RSET":
            self._forget()
        return SAID.get(verb, "500 5.5.1 Command unrecognized")

    def _forget(self) -> None:
        self._sender, self._recipients = None, []

    async def _ehlo(self, rest: str) -> str:
        if not rest:
            raise _Refused("501 5.5.4 Say who you are")
        self._greeted = True
        self._forget()
        offers = ["counterpart", f"SIZE {self._server.size_max}", "8BITMIME", "ENHANCEDSTATUSCODES"]
        offers += ["STARTTLS"] if self._server.tls is not None and not self._secure else []
        offers += ["AUTH PLAIN LOGIN"] if self._server.user and self._may_sign_in else []
        return "\n".join([*(f"250-{one}" for one in offers[:-1]), f"250 {offers[-1]}"])

    @property
    def _may_sign_in(self) -> bool:
        return self._secure or self._server.tls is None

    async def _starttls(self, rest: str) -> str:
        if self._server.tls is None or self._secure:
            raise _Refused("503 5.5.1 TLS not available, or begun already")
        return "220 2.0.0 Ready to start TLS"

    async def _auth(self, rest: str) -> str:
        if not self._greeted or self._known or not self._server.user:
            raise _Refused("503 5.5.1 Not now")
        if not self._may_sign_in:
            raise _Refused("538 5.7.11 Encryption required for requested authentication mechanism")
        way, _, given = rest.partition(" ")
        if way.upper() == "PLAIN":
            _, user, password = [*_decoded(given or await self._asked("")).split("\0"), "", ""][:3]
        elif way.upper() == "LOGIN":
            user = _decoded(given or await self._asked("Username:"))
            password = _decoded(await self._asked("Password:"))
        else:
            raise _Refused("504 5.5.4 Unrecognized authentication type")
        wanted = f"{self._server.user}\0{self._server.password}".encode()
        if not hmac.compare_digest(f"{user}\0{password}".encode(), wanted):
            raise _Refused("535 5.7.8 Username and password not accepted")
        self._known = True
        return "235 2.7.0 Accepted"

    async def _asked(self, words: str) -> str:
        await self._say(f"334 {base64.b64encode(words.encode()).decode()}")
        return await self._line(LINE_BYTES_MAX)

    async def _mail(self, rest: str) -> str:
        if not self._greeted or self._sender is not None:
            raise _Refused("503 5.5.1 Bad sequence of commands")
        if self._server.tls is not None and not self._secure:
            raise _Refused("530 5.7.0 Must issue a STARTTLS command first")
        if self._server.user and not self._known:
            raise _Refused("530 5.7.0 Authentication required")
        found = _MAIL.fullmatch(rest)
        if found is None:
            raise _Refused("501 5.1.7 Bad sender address syntax")
        size = _SIZE.search(found[2])
        if size is not None and int(size[1]) > self._server.size_max:
            raise _Refused("552 5.3.4 Message size exceeds fixed limit")
        self._sender = found[1]
        return "250 2.1.0 Ok"

    async def _rcpt(self, rest: str) -> str:
        if self._sender is None:
            raise _Refused("503 5.5.1 Need MAIL before RCPT")
        found = _RCPT.fullmatch(rest)
        if found is None:
            raise _Refused("501 5.1.3 Bad recipient address syntax")
        if len(self._recipients) >= RECIPIENTS_MAX:
            raise _Refused("452 4.5.3 Too many recipients")
        refusal = self._server.refusal_of(self._sender, found[1])
        if refusal is not None:
            raise _Refused(refusal)
        self._recipients.append(found[1])
        return "250 2.1.5 Ok"

    async def _data(self, rest: str) -> str:
        if not self._recipients or self._sender is None:
            raise _Refused("503 5.5.1 Need RCPT before DATA")
        await self._say("354 End data with <CR><LF>.<CR><LF>")
        content, problem = await self._content()
        sender, recipients = self._sender, tuple(self._recipients)
        self._forget()
        if problem:
            raise _Refused(problem)
        mail = Mail(self._server.clock.now(), sender, recipients, content)
        if mail.message.get("From") is None:
            raise _Refused("550 5.7.1 Messages missing a valid From header are not accepted")
        self._server.mails.append(mail)
        self._server.heard(mail)
        if self._server.faults.lose_answers:
            self._server.faults.lose_answers -= 1
            raise ConnectionResetError
        return f"250 2.0.0 Ok: queued as {len(self._server.mails)}"

    async def _content(self) -> tuple[bytes, str]:
        """What was sent, and what is wrong with it; read to its end either way."""
        content, problem = bytearray(), ""
        while (line := await self._reader.readline()) != b".\r\n":
            if not line:
                raise ConnectionResetError
            if not line.endswith(b"\r\n"):
                problem = "550 5.6.11 Bare line feeds are not accepted"
            elif len(line) > LINE_BYTES_MAX:
                problem = "550 5.6.0 A line is longer than 998 octets"
            content += line.removeprefix(b".")
            if len(content) > self._server.size_max:
                problem, content = "552 5.3.4 Message size exceeds fixed limit", bytearray()
        return bytes(content), problem


def _decoded(text: str) -> str:
    with suppress(binascii.Error, UnicodeDecodeError):
        return base64.b64decode(text, validate=True).decode()
    raise _Refused("501 5.5.2 Cannot decode")
