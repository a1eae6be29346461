"""A mail server as strict as those that mails meet: it expects STARTTLS and a password, has limits, and refuses.

    smtp = SmtpCounterpart(clock, user="bot", password="secret", tls=context)
    smtp.unknown.add("nobody@example.com")          # 550 5.1.1, for good
    smtp.senders.add("shop@example.com")            # 550 5.7.1 for who writes as somebody else
    smtp.greylist_seconds = 60                      # 451 4.7.1 for who writes to somebody for the first time
    async with smtp.serve() as url:                 # smtp://127.0.0.1:2525
        …
        smtp.faults.instead["AUTH"] = "454 4.7.0 Temporary authentication failure"
    smtp.received("somebody@example.com")           # mails, as they were sent

Codes are those of RFC 5321, 3463 (enhanced codes), 1870 (SIZE), 3207 (STARTTLS), 4954 (AUTH) and 6647 (greylisting).
What it looks at in addresses, parameters and mails is in `smtp_rules`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from sekkei.clock import Clock
from sekkei.kit.signing import same
from sekkei_fakes.smtp_rules import (
    PARAMETERS,
    wrong_address,
    wrong_bits,
    wrong_line,
    wrong_mail,
    wrong_parameters,
)

COMMAND_BYTES_MAX, ANSWER_BYTES_MAX = 512, 12_288
"""With the end of the line (RFC 5321, 4.5.3.1; RFC 4954, 4)."""
RECIPIENTS_MAX = 100
SIZE_MAX = 10 * 1024 * 1024
SAID = {
    "RSET": "250 2.0.0 Ok",
    "NOOP": "250 2.0.0 Ok",
    "VRFY": "252 2.5.2 Send some mail, I will try my best",
    "QUIT": "221 2.0.0 Bye",
}
"""Where nothing is to be thought over."""
TOO_BIG = "552 5.3.4 Message size exceeds fixed limit"
_MAIL = re.compile(r"FROM:<([^<>\s]*)>(\s.*)?", re.IGNORECASE)
_RCPT = re.compile(r"TO:<([^<>\s]+)>(\s.*)?", re.IGNORECASE)
_SIZE = re.compile(r"\bSIZE=([0-9]+)", re.IGNORECASE)


@dataclass(slots=True)
class Faults:
    """Switched on and off while it runs."""

    down: bool = False
    """Whoever connects hears 421."""
    hang: bool = False
    """Nobody hears anything."""
    lose_answers: int = 0
    """So many mails are taken, and the connection ends before that is said."""
    slow_seconds: float = 0.0
    """A mail is taken, and that is said so much later."""
    instead: dict[str, str] = field(default_factory=dict)
    """What is said to a command instead of heeding it; `CONNECT` is who comes, `.` the end of a mail. A connection on
    which 421 was said ends; with nothing to say it is cut."""
    silent: set[str] = field(default_factory=set)
    """Commands, named likewise, that are never answered."""


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
    senders: set[str] = field(default_factory=set)
    """Whom the user may write as; anybody if there is none."""
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
    async def serve(self, host: str = "127.0.0.1", port: int = 0, *, secure: bool = False) -> AsyncIterator[str]:
        """Until the block ends; on a free port unless one is given; `secure` has TLS from the start."""
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = cast("asyncio.Task[None]", asyncio.current_task())
            talks.add(task)
            try:
                await _Talk(self, reader, writer, secure).hold()
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
                pass  # whoever wrote has gone, or the server stops
            finally:
                talks.discard(task)
                writer.close()

        server = await asyncio.start_server(talk, host, port, limit=64 * 1024, ssl=self.tls if secure else None)
        try:
            yield f"{'smtps' if secure else 'smtp'}://{host}:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for task in talks:
                task.cancel()

    def take(self, sender: str, recipients: Sequence[str], content: bytes) -> str | None:
        """A mail from who has no connection, judged alike: why it is refused, or None."""
        looks = [self.refusal_of_sender(sender), *(self.refusal_of(sender, one) for one in recipients)]
        looks += [wrong_bits(content), *map(wrong_line, content.splitlines(keepends=True))]
        return next(filter(None, looks), None) or self.keep(sender, recipients, content)

    def keep(self, sender: str, recipients: Sequence[str], content: bytes) -> str | None:
        """A mail whose lines and addresses are good."""
        refusal = TOO_BIG if len(content) > self.size_max else wrong_mail(content)
        if refusal is None:
            mail = Mail(self.clock.now(), sender, tuple(recipients), content)
            self.mails.append(mail)
            self.heard(mail)
        return refusal

    def refusal_of_sender(self, sender: str) -> str | None:
        """Why nobody may write as this one; who gets no answers says nothing (RFC 5321, 4.5.5)."""
        if sender and (wrong := wrong_address(sender, "5.1.7")) is not None:
            return wrong
        if self.senders and sender not in self.senders:
            return "550 5.7.1 Sender address rejected: not owned by user"
        return None

    def refusal_of(self, sender: str, recipient: str) -> str | None:
        """Why this recipient gets nothing, now or ever."""
        if (wrong := wrong_address(recipient, "5.1.3")) is not None:
            return wrong
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

    def __init__(
        self, server: SmtpCounterpart, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, secure: bool
    ) -> None:
        self._server, self._reader, self._writer, self._secure = server, reader, writer, secure
        self._greeted = self._known = False
        self._sender: str | None = None
        self._recipients: list[str] = []
        self._eight_bits = False

    async def hold(self) -> None:
        if self._server.faults.hang:
            await asyncio.Event().wait()
        if self._server.faults.down:
            await self._say("421 4.3.2 Service not available, closing transmission channel")
            return
        verb, reply = "CONNECT", await self._instead("CONNECT") or "220 counterpart ESMTP"
        await self._say(reply)
        while verb != "QUIT" and not reply.startswith("421"):
            try:
                verb, _, rest = (await self._line(COMMAND_BYTES_MAX)).partition(" ")
                verb = verb.upper()
                reply = await self._instead(verb) or await self._answer(verb, rest.strip())
            except _Refused as refused:
                reply = str(refused)
            await self._say(reply)
            if verb == "STARTTLS" and self._server.tls is not None and reply.startswith("220"):
                await self._writer.start_tls(self._server.tls)
                self._secure, self._greeted = True, False

    async def _instead(self, command: str) -> str | None:
        """What a fault has it say."""
        if command in self._server.faults.silent:
            await asyncio.Event().wait()
        said = self._server.faults.instead.get(command)
        if said == "":
            raise ConnectionResetError
        return said

    async def _read(self) -> bytes:
        """A line; what is far too long is read and comes back as one that is too long."""
        try:
            found = await self._reader.readline()
        except ValueError:  # it filled the reader's buffer, which has thrown it away
            return b" " * ANSWER_BYTES_MAX + b"\r\n"
        if not found:
            raise ConnectionResetError
        return found

    async def _line(self, most: int) -> str:
        found = await self._read()
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
        if not same(f"{user}\0{password}", f"{self._server.user}\0{self._server.password}"):
            raise _Refused("535 5.7.8 Username and password not accepted")
        self._known = True
        return "235 2.7.0 Accepted"

    async def _asked(self, words: str) -> str:
        await self._say(f"334 {base64.b64encode(words.encode()).decode()}")
        return await self._line(ANSWER_BYTES_MAX)

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
        sender, parameters = found[1], found[2] or ""
        size = _SIZE.search(parameters)
        if size is not None and int(size[1]) > self._server.size_max:
            raise _Refused(TOO_BIG)
        _raise(wrong_parameters(parameters, PARAMETERS))
        _raise(self._server.refusal_of_sender(sender))
        self._sender, self._eight_bits = sender, "BODY=8BITMIME" in parameters.upper().split()
        return "250 2.1.0 Ok"

    async def _rcpt(self, rest: str) -> str:
        if self._sender is None:
            raise _Refused("503 5.5.1 Need MAIL before RCPT")
        found = _RCPT.fullmatch(rest)
        if found is None:
            raise _Refused("501 5.1.3 Bad recipient address syntax")
        if len(self._recipients) >= RECIPIENTS_MAX:
            raise _Refused("452 4.5.3 Too many recipients")
        _raise(wrong_parameters(found[2] or "", ()))
        _raise(self._server.refusal_of(self._sender, found[1]))
        self._recipients.append(found[1])
        return "250 2.1.5 Ok"

    async def _data(self, rest: str) -> str:
        if not self._recipients or self._sender is None:
            raise _Refused("503 5.5.1 Need RCPT before DATA")
        await self._say("354 End data with <CR><LF>.<CR><LF>")
        content, problem = await self._content()
        sender, recipients = self._sender, tuple(self._recipients)
        self._forget()
        _raise(problem or await self._instead(".") or (None if self._eight_bits else wrong_bits(content)))
        _raise(self._server.keep(sender, recipients, content))
        faults = self._server.faults
        if faults.lose_answers:
            faults.lose_answers -= 1
            raise ConnectionResetError
        await asyncio.sleep(faults.slow_seconds)
        return f"250 2.0.0 Ok: queued as {len(self._server.mails)}"

    async def _content(self) -> tuple[bytes, str | None]:
        """What was sent, and what is wrong with it; read to its end either way."""
        content, problem = bytearray(), None
        while (line := await self._read()) != b".\r\n":
            line = line.removeprefix(b".")
            problem = problem or wrong_line(line)
            content += line
            if len(content) > self._server.size_max:
                problem, content = TOO_BIG, bytearray()
        return bytes(content), problem


def _raise(refusal: str | None) -> None:
    if refusal is not None:
        raise _Refused(refusal)


def _decoded(text: str) -> str:
    with suppress(binascii.Error, UnicodeDecodeError):
        return base64.b64decode(text, validate=True).decode()
    raise _Refused("501 5.5.2 Cannot decode")
