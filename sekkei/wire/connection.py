"""One client's connection: parses requests, has them answered one after the other, keeps the limits.

A read finishes on its first step and is answered within the call that received it: no task is made for it. A call
that has to wait (a write that waits for its commit) is taken up again when the future it waits for is done. Such a
call runs outside of any task, so it may await futures but not `asyncio.timeout` and its like.

Input is parsed a piece at a time: as soon as one request has to wait, for the answer to another, for its client or
for its share of the server (`fairness`), the rest stays bytes and no more is read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import Any, Protocol, cast

import httptools

from sekkei.wire.backpressure import Unread
from sekkei.wire.fairness import Fairness
from sekkei.wire.limits import Limits
from sekkei.wire.request import OBJECT_BYTES, PIECE_BYTES, Request, head_bytes, head_without_offer
from sekkei.wire.service import LARGE_ANSWERS, Call, Service


class _Host(Protocol):
    service: Service
    limits: Limits
    fairness: Fairness
    unread: Unread
    stopping: bool
    debug: bool

    def enter(self, connection: Connection) -> bool:
        """False when there is no room for one more."""
        ...

    def leave(self, connection: Connection) -> None: ...

    def buffer(self, count: int) -> bool:
        """Count bytes that are kept in memory (or, negative, no longer are); False when they are too many."""
        ...

    def send(self, transport: asyncio.Transport, answer: bytes) -> None:
        """Called before this iteration of the loop ends."""
        ...

    def send_all(self) -> None:
        """What was to be sent, now."""
        ...


_NEVER = float("inf")
_NO_FIELDS: dict[bytes, bytes] = {}


class Connection(asyncio.Protocol):
    """See the module. Its parser calls the methods that begin with `on_`."""

    __slots__ = (
        "_body",
        "_body_bytes",
        "_buffered_bytes",
        "_continue_wanted",
        "_current",
        "_deaf",
        "_fields",
        "_has_answered",
        "_head_bytes",
        "_header_count_max",
        "_headers",
        "_heard_at",
        "_host",
        "_in_message",
        "_is_parked",
        "_last",
        "_loop",
        "_parser",
        "_queue",
        "_read_deadline",
        "_reading_paused",
        "_rest",
        "_service",
        "_transport",
        "_unread",
        "_url",
        "_writing_paused",
        "deadline",
    )

    def __init__(self, host: _Host, loop: asyncio.AbstractEventLoop) -> None:
        self._host = host
        self._header_count_max = host.limits.header_count_max
        self._service = host.service
        self._unread = host.unread
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpRequestParser(self)
        self._queue: deque[Request | bytes] = deque()
        """Requests that wait to be answered; bytes are a refusal, after which the connection ends."""

        self._current: Request | None = None
        """The request whose call waits for something."""

        self._deaf = False
        """What still comes is thrown away: the connection is about to end."""

        self._last = False
        """When no request waits any more, the connection ends."""

        self._rest: memoryview | bytes = b""
        """What has come and is not parsed yet."""

        self._has_answered = False
        """One request was served; the next waits for the connection's share of the loop."""

        self._is_parked = False
        """Whether it waits for its share of the loop, or for room."""

        self._reading_paused = False
        self._writing_paused = False
        self._buffered_bytes = 0
        self._continue_wanted = False
        self._in_message = False
        self._headers: list[tuple[bytes, bytes]] = []
        self._fields = _NO_FIELDS
        self._body_bytes = 0
        self._read_deadline = _NEVER
        self._heard_at = _NEVER
        self.deadline = loop.time() + host.limits.idle_seconds
        """When the server may lose its patience."""

    # --- the transport calls ------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if not self._host.enter(self) and not transport.is_closing():
            self._refuse(self._service.answers.refusal(503))

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        if len(data) <= PIECE_BYTES and not self._rest:
            self._has_answered = False
            self._feed(data)
        else:
            self._has_answered = True  # much at a time counts from the first request on
            self._rest = memoryview(bytes(self._rest) + data if self._rest else data)
            self._feed_rest()

    def eof_received(self) -> bool:
        """A client that has sent all it wanted may still wait for answers."""
        self._deaf = True
        self._take_no_more()
        self._host.send_all()
        return self._current is not None or bool(self._queue)

    def pause_writing(self) -> None:
        self._writing_paused = True
        now = self._loop.time()
        self.deadline = now + self._host.limits.write_seconds
        self._unread.add(self, now)

    def resume_writing(self) -> None:
        self._writing_paused = False
        self._unread.discard(self, self._loop.time())
        self._set_deadline()
        self._advance()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._deaf = True
        self._queue.clear()
        self._rest = b""
        self._drop_body()
        self._unread.discard(self, self._loop.time())
        self._host.leave(self)
        del self._parser

    # --- parsing ------------------------------------------------------------------------------------------------------

    def _feed(self, data: bytes) -> None:
        """One piece."""
        headers, body_bytes = self._headers, self._body_bytes
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrades(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse(self._service.answers.refusal(400))
        else:
            if self._in_message:
                self._heard_at = self._loop.time()
                if self._headers is headers:
                    self._count_head(len(data), has_body=self._body_bytes > body_bytes)

    def _feed_rest(self) -> None:
        """Piece by piece, until a request has to wait."""
        is_first = True
        while self._rest and self._is_free and not self._queue:
            body = self._body_to_come()
            if not is_first and not body and self._host.fairness.is_over():
                self._park(self._host.fairness)
                return
            is_first = False
            size = body or PIECE_BYTES
            piece, self._rest = self._rest[:size], self._rest[size:] or b""  # an empty view would keep all that came
            self._feed(bytes(piece))
        if self._rest:
            self._pause_reading()

    def _body_to_come(self) -> int:
        """How much of what comes next is certainly body."""
        length = self._fields.get(b"content-length") if self._in_message else None
        return int(length) - self._body_bytes if length is not None else 0

    # --- the parser calls ---------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers = []
        self._fields = _NO_FIELDS
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._head_bytes = 0
        self._in_message = True
        self._read_deadline = self._loop.time() + self._host.limits.request_seconds
        if self._current is None and not self._writing_paused:
            self.deadline = self._read_deadline

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        headers = self._headers
        headers.append((name, value))
        if len(headers) > self._header_count_max:
            self._refuse(self._service.answers.refusal(431))

    def on_headers_complete(self) -> None:
        if self._head_bytes and head_bytes(self._url, self._headers) > self._host.limits.head_bytes_max:
            self._refuse(self._service.answers.refusal(431))
            return
        self._fields = fields = {name.lower(): value for name, value in self._headers}
        length = fields.get(b"content-length")
        if length is not None and int(length) > self._host.limits.body_bytes_max:
            self._refuse(self._service.answers.too_large())
        elif fields.get(b"expect", b"").lower() == b"100-continue" and not self._parser.should_upgrade():
            self._continue_wanted = True
            if self._is_free and not self._queue:
                self._send_continue()

    def on_body(self, data: bytes) -> None:
        if self._deaf:
            return
        self._body_bytes += len(data)
        if self._body:  # only bodies that come in pieces can pile up, so only they are counted
            count = len(data) + OBJECT_BYTES
            self._buffered_bytes += count
            if not self._host.buffer(count):
                self._refuse(self._service.answers.refusal(503))
                return
        if self._body_bytes > self._host.limits.body_bytes_max:
            self._refuse(self._service.answers.too_large())
            return
        self._body.append(data)

    def on_message_complete(self) -> None:
        if self._deaf or self._parser.should_upgrade():
            return
        if self._head_bytes and head_bytes(self._url, self._headers) > self._host.limits.head_bytes_max:
            self._refuse(self._service.answers.refusal(431))
            return
        body = self._body
        request = Request(
            self._parser.get_method(),
            self._url,
            self._headers,
            self._fields,
            body[0] if len(body) == 1 else b"".join(body),
            self._parser.should_keep_alive(),
            self._loop.time(),
        )
        self._in_message = self._continue_wanted = False
        if self._buffered_bytes:
            self._drop_body()
        if self._current is not None or self._queue or self._writing_paused:
            self._queue.append(request)
            self._pause_reading()
        elif self._has_answered and self._host.fairness.is_over():
            self._queue.append(request)
            self._park(self._host.fairness)
        else:
            self._has_answered = True
            self._serve(request)

    def _decline_upgrades(self, rest: bytes) -> None:
        """Clients offer HTTP/2 in a header (Java's do, curl can). After such a head the parser takes no body, so the
        request is read once more as if the offer had not been made; the next one in `rest` may make it again."""
        while not self._deaf:
            if self._parser.get_method() == b"CONNECT":
                self._refuse(self._service.answers.refusal(400))
                return
            version = self._parser.get_http_version().encode()
            data = head_without_offer(self._parser.get_method(), self._url, version, self._headers) + rest
            self._parser = httptools.HttpRequestParser(self)
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                rest = data[upgrade.args[0] :]
            except httptools.HttpParserError:
                self._refuse(self._service.answers.refusal(400))
            else:
                return

    # --- answering ----------------------------------------------------------------------------------------------------

    def _serve(self, request: Request) -> None:
        if self._last and not self._queue and not self._rest:
            request.keep_alive = False
        if self._unread.is_full and request.fields.get(b"x-amz-target") in LARGE_ANSWERS:
            self._queue.appendleft(request)
            self._park(self._unread)
            return
        begun = self._service.begin(request)
        if isinstance(begun, bytes):
            self._finish(request, begun)
        else:
            self._step(request, begun, None)

    def _step(self, request: Request, call: Call, _: object) -> None:
        """Run the engine's call until it waits or ends."""
        try:
            waits_for = call.send(None)
        except StopIteration as stop:
            answer = self._service.success(request, stop.value)
        except (Exception, asyncio.CancelledError) as error:
            answer = self._service.failure(request, error)
        else:
            self._current = request
            self.deadline = _NEVER
            self._host.send_all()
            self._wait(waits_for, partial(self._step, request, call))
            return
        if self._current is None:
            self._finish(request, answer)
        else:
            self._current = None
            self._finish(request, answer)
            self._advance()

    def _wait(self, future: Any, resume: Any) -> None:
        if future is None:  # a bare `yield`: let others run first
            self._loop.call_soon(resume, None)
            return
        future._asyncio_future_blocking = False  # as a task does, to say that the future was awaited rightly
        future.add_done_callback(resume)

    def _finish(self, request: Request, answer: bytes) -> None:
        if self._host.debug:
            self._service.log_request(request, answer, self._loop.time() - request.received_at)
        if self._transport is None:
            return
        self._host.send(self._transport, answer)
        if request.keep_alive:
            self._set_deadline()
        else:
            self._end()

    @property
    def _is_free(self) -> bool:
        return not (self._current is not None or self._writing_paused or self._is_parked or self._transport is None)

    def _advance(self) -> None:
        """Serve what waits, as far as it goes."""
        while self._is_free and (self._queue or self._rest):
            if not self._queue:
                self._feed_rest()
            elif self._has_answered and self._host.fairness.is_over():
                self._park(self._host.fairness)
            else:
                self._has_answered = True
                item = self._queue.popleft()
                if isinstance(item, bytes):
                    self._write_refusal(item)
                else:
                    self._serve(item)
        if self._transport is None or self._current is not None or self._queue or self._rest:
            return
        self._send_continue()
        if self._reading_paused:
            self._reading_paused = False
            self._transport.resume_reading()

    def _send_continue(self) -> None:
        if self._continue_wanted:
            assert self._transport is not None
            self._continue_wanted = False
            self._host.send(self._transport, b"HTTP/1.1 100 Continue\r\n\r\n")

    def _park(self, until: Fairness | Unread) -> None:
        self._is_parked = True
        self.deadline = _NEVER
        self._pause_reading()
        until.wait(self)

    def go_on(self) -> None:
        """Answer further requests; its share of the loop has come."""
        self._is_parked = self._has_answered = False
        if self._transport is not None:
            self._set_deadline()
            self._advance()

    def _pause_reading(self) -> None:
        """One complete request in waiting is enough: the client's next ones stay in its own buffers."""
        if not self._reading_paused and self._transport is not None:
            self._reading_paused = True
            self._transport.pause_reading()

    # --- ending -------------------------------------------------------------------------------------------------------

    def _refuse(self, refusal: bytes) -> None:
        """Read no more; say why when the answers before this one are out."""
        if self._deaf:
            return
        self._deaf = True
        self._rest = b""
        self._drop_body()
        self._queue.append(refusal)
        self._advance()

    def _write_refusal(self, refusal: bytes) -> None:
        """Closing at once would make the kernel reset the connection while the client still sends, and it would never
        read the answer. So half of it is closed, and the rest of what comes is thrown away for a while."""
        assert self._transport is not None
        self._in_message = False
        self._host.send(self._transport, refusal)
        if self._last:
            self._end()
            return
        self._host.send_all()
        self._transport.write_eof()
        self.deadline = self._loop.time() + self._host.limits.linger_seconds

    def _take_no_more(self) -> None:
        """The last of the requests that are here ends the connection."""
        self._last = True
        if self._current is not None:
            self._current.keep_alive = bool(self._queue or self._rest)

    def _end(self) -> None:
        self._deaf = True
        self._queue.clear()
        self._rest = b""
        if self._transport is not None:
            self._host.send_all()
            self._transport.close()

    def _count_head(self, count: int, *, has_body: bool) -> None:
        """Of a head that is not all there, and of the trailers behind the last chunk, which can be as endless: what has
        come since anything else has. What comes between chunks is neither."""
        self._head_bytes = 0 if has_body else self._head_bytes + count
        if self._head_bytes > self._host.limits.head_bytes_max:
            self._refuse(self._service.answers.refusal(431))

    def _drop_body(self) -> None:
        self._body = []
        if self._buffered_bytes:
            self._host.buffer(-self._buffered_bytes)
            self._buffered_bytes = 0

    def _set_deadline(self) -> None:
        if self._writing_paused:
            return
        if self._current is not None or self._is_parked:
            self.deadline = _NEVER
        elif self._in_message:
            self.deadline = self._read_deadline
        else:
            self.deadline = self._loop.time() + self._host.limits.idle_seconds

    # --- the server calls ---------------------------------------------------------------------------------------------

    def expire(self) -> None:
        """The deadline has passed."""
        if self._transport is None:
            return
        if self._in_message and not self._writing_paused and not self._deaf:
            self._refuse(self._service.answers.refusal(408))
        elif self._writing_paused or self._deaf:
            self._transport.abort()
        else:
            self._end()

    def stop(self) -> None:
        """Answer what is under way, then close; close at once when nothing is."""
        self._take_no_more()
        if not self._has_request:
            self._end()

    @property
    def _has_request(self) -> bool:
        return bool(self._current is not None or self._queue or self._rest or self._in_message or self._deaf)

    @property
    def is_idle(self) -> bool:
        """Whether it has no request, sends none, and has taken its answers."""
        return not self._has_request and not self._writing_paused

    @property
    def stalled_since(self) -> float:
        """Since when its client has sent nothing more of what it began to, or taken nothing of its answer."""
        if self._writing_paused:
            return self._unread.since(self)
        waits_for_us = self._current is not None or self._queue or self._rest or self._deaf
        return self._heard_at if self._in_message and not waits_for_us else _NEVER

    @property
    def unread_bytes(self) -> int:
        """How much of its answers lies here."""
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
