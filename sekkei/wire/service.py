"""From a complete HTTP request to a call of the engine, and from the engine's answer to bytes.

The checks run in DynamoDB's order: path and content type, signature, JSON, target. Only the signature comes earlier
than there: nothing parses a body that the right key did not sign.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator, Mapping
from types import coroutine
from typing import Any, Protocol
from urllib.parse import urlsplit

import orjson

from sekkei.clock import SYSTEM, Clock
from sekkei.engine.operations import OPERATIONS as _ALL
from sekkei.errors import (
    AccessDeniedException,
    DynamoDBError,
    InternalServerError,
    SerializationException,
    ServiceUnavailable,
    UnknownOperationException,
)
from sekkei.wire import bodies, sigv4
from sekkei.wire.answers import AMZ_JSON, JSON, Answers, error_body
from sekkei.wire.limits import Limits
from sekkei.wire.request import Request

_DYNAMODB = "DynamoDB_20120810"
_STREAMS = "DynamoDBStreams_20120810"

_OF_STREAMS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}

OPERATIONS: dict[bytes, str] = {
    f"{_STREAMS if operation in _OF_STREAMS else _DYNAMODB}.{operation}".encode(): operation for operation in _ALL
}

LARGE_ANSWERS = frozenset(
    target
    for target, operation in OPERATIONS.items()
    if operation.startswith(("Batch", "Transact", "Execute")) or operation in ("GetRecords", "Query", "Scan")
)
"""Those that may be answered with more than one item."""


log = logging.getLogger("sekkei.wire")

_Response = dict[str, Any]
Call = Coroutine[Any, Any, _Response]

_NOT_FOUND = b"<UnknownOperationException/>\n"
_PREFLIGHT_SECONDS = 172_800
_CORS = (
    b"Access-Control-Allow-Origin: *\r\n"
    b"Access-Control-Expose-Headers: x-amzn-RequestId,x-amzn-ErrorType,x-amz-crc32,Date\r\n"
)
_OWN_BODY: dict[str, Callable[[Request, _Response], bytes]] = {
    # No body at all, not even an empty object.
    "TagResource": lambda request, response: b"",
    "UntagResource": lambda request, response: b"",
    # A client that asks where to send its requests must be sent to this server, not to Amazon's.
    "DescribeEndpoints": lambda request, response: _endpoints(request, response),
}
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Engine(Protocol):
    """What the wire stands in front of; `render` turns a stored item's bytes into what the answer holds."""

    def call(self, operation: str, request: Mapping[str, Any], render: Callable[[bytes], Any] = ...) -> Call: ...


class Service:
    """DynamoDB's JSON protocol. Without `keys`, signatures must be there but are not verified."""

    def __init__(
        self,
        engine: Engine,
        keys: Mapping[str, sigv4.Key] | None = None,
        clock: Clock = SYSTEM,
        region: str = "us-east-1",
        body_bytes_max: int = Limits().body_bytes_max,
    ) -> None:
        self._body_bytes_max = body_bytes_max
        self.answers = Answers(clock)
        # A request is the wire's own, so an engine that asks need not copy it.
        self._call = getattr(engine, "call_owned", engine.call)
        self._keys = dict(keys or {})
        self._clock = clock
        self._health = f"healthy: dynamodb.{region}.amazonaws.com ".encode()

    # --- a request comes ----------------------------------------------------------------------------------------------

    def begin(self, request: Request) -> bytes | Call:
        """The whole answer, or the engine's call that will lead to it."""
        request.id = self.answers.request_id()
        path, _, query = request.url.partition(b"?")
        try:
            self._check_origin(request)
            if request.method != b"POST" or path != b"/" or not _is_json(request):
                return self._outside(request, path)
            return self._operation(request, query)
        except DynamoDBError as error:
            return self.failure(request, error)
        except bodies.TooLarge:
            request.keep_alive = False
            return self.answers.too_large()

    def _operation(self, request: Request, query: bytes) -> Call:
        if self._keys:
            self._verify(request, query)
        if b"content-encoding" in request.fields:
            encoding = request.fields[b"content-encoding"]
            request.body = bodies.decompressed(request.body, encoding, self._body_bytes_max)
        if len(request.body) > bodies.LARGE_BYTES:
            return self._large(request, query)
        return self._asked(request, query, bodies.parsed(request.body) if request.body else None)

    @coroutine
    def _large(self, request: Request, query: bytes) -> Generator[Any, Any, _Response]:
        body = yield from bodies.parsed_in_pieces(request.body)
        return (yield from self._asked(request, query, body).__await__())

    def _asked(self, request: Request, query: bytes, body: Any) -> Call:
        operation = OPERATIONS.get(request.fields.get(b"x-amz-target", b""))
        if operation is None:
            raise UnknownOperationException
        request.operation = operation
        if not self._keys:
            _check_presence(request, query)
        if not isinstance(body, dict):
            _refuse_body(body, operation)
        return self._call(operation, body, orjson.Fragment)

    def _verify(self, request: Request, query: bytes) -> None:
        sigv4.verify(
            request.method.decode("latin-1"),
            "/",
            query.decode("latin-1"),
            request.headers,
            request.body,
            self._keys,
            self._clock.now(),
        )

    def _check_origin(self, request: Request) -> None:
        """Without signatures, a page that happens to be open in a browser must not reach the data."""
        origin = request.fields.get(b"origin")
        if origin is None or self._keys or _is_harmless(origin.decode("latin-1")):
            return
        raise AccessDeniedException(
            "This engine does not verify signatures, so it serves no pages of other machines "
            f"(Origin: {origin.decode('latin-1')}). "
            "Start it with SEKKEI_ACCESS_KEY_ID and SEKKEI_SECRET_ACCESS_KEY set."
        )

    def _outside(self, request: Request, path: bytes) -> bytes:
        """Whatever is not an operation."""
        if request.method == b"OPTIONS" and b"origin" in request.fields:
            return self.answers.plain(200, b"", request.id, request.keep_alive, _preflight(request))
        if request.method in (b"GET", b"HEAD") and path in (b"/", b"/ping"):
            return self.answers.plain(
                200, self._health, request.id, request.keep_alive, _cors(request), request.method == b"GET"
            )
        with_body = request.method != b"HEAD"
        return self.answers.plain(404, _NOT_FOUND, request.id, request.keep_alive, _cors(request), with_body)

    # --- an answer goes -----------------------------------------------------------------------------------------------

    def success(self, request: Request, response: _Response) -> bytes:
        try:
            own = _OWN_BODY.get(request.operation)
            body = orjson.dumps(response) if own is None else own(request, response)
        except TypeError as error:  # our own bug, but the client must still hear something
            return self.failure(request, error)
        return self._answer(request, 200, body)

    def failure(self, request: Request, error: BaseException) -> bytes:
        if isinstance(error, asyncio.CancelledError):
            error = ServiceUnavailable("The server is stopping. Try again.")
        elif not isinstance(error, DynamoDBError):
            log.error("unexpected error", exc_info=error, extra=_about(request))
            error = InternalServerError("The request processing has failed because of an unknown error.")
        request.error = error.code
        return self._answer(request, error.status, error_body(error))

    def _answer(self, request: Request, status: int, body: bytes) -> bytes:
        fields = request.fields
        content_type = AMZ_JSON if fields.get(b"content-type", b"").startswith(AMZ_JSON) else JSON
        extra = _cors(request) if b"origin" in fields else b""
        if len(body) >= bodies.COMPRESSED_FROM_BYTES and b"accept-encoding" in fields:
            encoding = bodies.accepted(fields[b"accept-encoding"])
            if encoding is not None:
                body = bodies.compressed(body, encoding)
                extra += b"Content-Encoding: %b\r\n" % encoding
        return self.answers.json(status, content_type, body, request.id, request.keep_alive, extra)

    def log_request(self, request: Request, answer: bytes, seconds: float) -> None:
        """One line per request, at debug: what, how long, how it ended; never what was in it."""
        about = _about(request)
        about["status"] = int(answer[9:12])
        about["microseconds"] = round(seconds * 1_000_000)
        about["bytes_in"] = len(request.body)
        about["bytes_out"] = len(answer)
        log.debug("request", extra=about)


def _endpoints(request: Request, response: _Response) -> bytes:
    host = request.fields.get(b"host", b"").decode("latin-1")
    if host:
        response = {"Endpoints": [{**endpoint, "Address": host} for endpoint in response["Endpoints"]]}
    return orjson.dumps(response)


def _about(request: Request) -> dict[str, Any]:
    about: dict[str, Any] = {"request_id": request.id.decode(), "method": request.method.decode("latin-1")}
    if request.operation:
        about["operation"] = request.operation
    if request.error:
        about["error"] = request.error
    return about


def _is_json(request: Request) -> bool:
    """A body must say that it is JSON; a request without one need not."""
    given = request.fields.get(b"content-type", b"")
    return given in (AMZ_JSON, JSON) or given.partition(b";")[0].strip() in (AMZ_JSON, JSON) or not request.body


def _refuse_body(body: Any, operation: str) -> None:
    if body is None:
        raise SerializationException
    if isinstance(body, list):
        raise SerializationException(
            f"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{operation}Input"
        )
    raise SerializationException("Unexpected value type in payload")


def _check_presence(request: Request, query: bytes) -> None:
    """An SDK's Authorization header is recognised by its look; all else is examined and told what is missing."""
    authorization = request.fields.get(b"authorization", b"")
    if (
        not query
        and authorization.startswith(b"AWS4-HMAC-SHA256 Credential=")
        and b" SignedHeaders=" in authorization
        and b" Signature=" in authorization
        and b"x-amz-date" in request.fields
    ):
        return
    sigv4.check_presence(query.decode("latin-1"), request.headers)


def _is_harmless(origin: str) -> bool:
    """Browsers send `scheme://host` or `null`: only pages of this machine may use an engine without keys."""
    if "://" not in origin:
        return origin != "null"
    try:
        return urlsplit(origin).hostname in _LOOPBACK_NAMES
    except ValueError:
        return False


def _cors(request: Request) -> bytes:
    return _CORS if b"origin" in request.fields else b""


def _preflight(request: Request) -> bytes:
    lines = _cors(request)
    for asked, allowed in (
        (b"access-control-request-headers", b"Access-Control-Allow-Headers"),
        (b"access-control-request-method", b"Access-Control-Allow-Methods"),
    ):
        if asked in request.fields:
            lines += b"%b: %b\r\n" % (allowed, request.fields[asked])
    return lines + b"Access-Control-Max-Age: %d\r\n" % _PREFLIGHT_SECONDS
