"""Amazon DynamoDB, or any endpoint that speaks its protocol, as a store; HTTP answers as responses or errors."""

from __future__ import annotations

import asyncio
import os
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from sekkei.clock import SYSTEM, Clock
from sekkei.errors import (
    BY_CODE,
    ConditionalCheckFailedException,
    DamagedAnswer,
    DynamoDBError,
    InternalServerError,
    InvalidSignatureException,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    SerializationException,
    ServiceUnavailable,
    StoreClosed,
    ThrottlingException,
    TransactionCanceledException,
    UnknownError,
    UnknownOperationException,
)
from sekkei.store.aws.credentials import Chain, Credentials, Keyring
from sekkei.store.aws.settings import Profiles, configured_endpoint, origins, region_of
from sekkei.store.http import Answer, Limits, Origin, Pool
from sekkei.store.protocol import Request, Response
from sekkei.store.retries import Retries, with_token
from sekkei.wire.sigv4 import sign


def _response_of(answer: Answer) -> Response:
    """The response in the answer's body, or the error raised."""
    _check_crc32(answer)
    if answer.status != 200:
        raise _error_of(answer)
    try:
        response = orjson.loads(answer.body) if answer.body else {}
    except orjson.JSONDecodeError:
        raise _damaged(answer, "the answer is not JSON") from None
    if not isinstance(response, dict):
        raise _damaged(answer, "the answer is not a JSON object")
    return response


def _error_of(answer: Answer) -> DynamoDBError:
    error = _typed(answer, _members(answer))
    error.request_id = _request_id(answer)
    return error


def _check_crc32(answer: Answer) -> None:
    sent = answer.headers.get(b"x-amz-crc32")
    if sent is not None and sent != b"%d" % zlib.crc32(answer.body):
        raise _damaged(answer, "the answer does not match its CRC32")


def _members(answer: Answer) -> dict[str, Any]:
    try:
        members = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}  # a load balancer's page
    return members if isinstance(members, dict) else {}


def _typed(answer: Answer, members: dict[str, Any]) -> DynamoDBError:
    kind = members.get("__type") or answer.headers.get(b"x-amzn-errortype", b"").decode("latin-1")
    code = str(kind).rpartition("#")[2].partition(":")[0]
    message = members.get("message") or members.get("Message") or ""
    if not code and answer.status >= 500:
        known: type[DynamoDBError] = ServiceUnavailable if answer.status == 503 else InternalServerError
        return known(message or f"status {answer.status}")
    if not code:
        return UnknownError(f"Status{answer.status}", message, answer.status)
    found = BY_CODE.get(code)
    if found is None or found is DynamoDBError:
        return UnknownError(code, message, answer.status)
    return _filled(found, message, members)


def _filled(found: type[DynamoDBError], message: str, members: dict[str, Any]) -> DynamoDBError:
    if issubclass(found, ConditionalCheckFailedException):
        return found(message, members.get("Item"))
    if issubclass(found, TransactionCanceledException):
        return found(message, members.get("CancellationReasons") or [])
    if issubclass(found, ProvisionedThroughputExceededException | ThrottlingException | RequestLimitExceeded):
        return found(message, members.get("ThrottlingReasons") or members.get("throttlingReasons"))
    return found(message)


def _damaged(answer: Answer, why: str) -> DamagedAnswer:
    error = DamagedAnswer(why)
    error.request_id = _request_id(answer)
    return error


def _request_id(answer: Answer) -> str | None:
    sent = answer.headers.get(b"x-amzn-requestid")
    return None if sent is None else sent.decode("latin-1")


_STREAM_OPERATIONS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
_USER_AGENT = "User-Agent: sekkei\r\n"
_EXPIRED_CODES = frozenset({"ExpiredToken", "ExpiredTokenException"})
_SKEW_SECONDS = 240.0
"""A clock further off than this is corrected by the server's; Amazon refuses five minutes."""

_LOCAL_CREDENTIALS = Credentials("local", "local")
"""For an endpoint on this machine when there are no others."""

_CredentialsLike = Credentials | tuple[str, str] | tuple[str, str, str | None] | Callable[[], Credentials]


class Remote:
    """DynamoDB behind HTTP, with the credentials, region and retries that an AWS SDK would use.

    `Remote(region="ap-northeast-1")` is Amazon's; `Remote(endpoint_url="http://127.0.0.1:8001")` is one on this machine
    and needs no credentials. `credentials` may be keys, or a function that returns them and is called again, in a
    thread, before they expire. One `Remote` serves any number of tasks, and event loops in several threads.
    """

    def __init__(
        self,
        region: str | None = None,
        endpoint_url: str | None = None,
        credentials: _CredentialsLike | None = None,
        *,
        profile: str | None = None,
        retries: Retries | None = None,
        connect_timeout: float = 5.0,
        read_timeout: float = 30.0,
        connections_max: int = 64,
        idle_seconds: float = 45.0,
        ssl_context: ssl.SSLContext | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock = SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        environ = os.environ if environ is None else environ
        profiles = Profiles.load(environ, profile)
        url = configured_endpoint(endpoint_url, environ, profiles)
        streams_url = None if endpoint_url else configured_endpoint(None, environ, profiles, "dynamodb_streams")
        self.region = region_of(region, url, environ, profiles)
        self._tables, self._streams = origins(self.region, url, streams_url)
        self.endpoint_url = str(self._tables)
        chain = Chain(environ, profiles, self.region, clock, profile_first=profile is not None)
        self._keyring = Keyring(_source(credentials, chain, self._tables), clock)
        self._retries = retries or Retries()
        self._limits = Limits(connections_max, connect_timeout, read_timeout, idle_seconds)
        self._tls = ssl_context
        self._ca_bundle = environ.get("AWS_CA_BUNDLE") or None
        self._clock = clock
        self._sleep = sleep
        self._skew = 0.0
        self._headers: dict[str, tuple[Origin, dict[str, str]]] = {}
        self._lanes: dict[asyncio.AbstractEventLoop, _Lane] = {}
        self._closed = False

    def __repr__(self) -> str:
        return f"Remote(region={self.region!r}, endpoint_url={self.endpoint_url!r})"

    async def call(self, operation: str, request: Request) -> Response:
        """Perform one operation; see `Store.call`."""
        body = _body(with_token(operation, request, self._clock))
        lane = self._lane()
        lane.calls += 1
        try:
            return await self._retries.run(lambda: self._attempt(lane, operation, body), self._clock, self._sleep)
        finally:
            lane.calls -= 1
            if self._closed and not lane.calls:
                lane.drained.set()

    async def close(self) -> None:
        """Refuse further calls, wait for this event loop's to end, let go of every connection."""
        self._closed = True
        here = asyncio.get_running_loop()
        for loop, lane in list(self._lanes.items()):
            if loop is here:
                if lane.calls:
                    await lane.drained.wait()
                lane.drop_idle()
            elif not loop.is_closed():
                loop.call_soon_threadsafe(lane.drop_idle)
        self._lanes.clear()

    # --- one attempt --------------------------------------------------------------------------------------------------

    async def _attempt(self, lane: _Lane, operation: str, body: bytes) -> Response:
        credentials = await self._keyring.credentials()
        answer = await self._exchange(lane, operation, body, credentials)
        try:
            return _response_of(answer)
        except InvalidSignatureException:
            if not self._set_clock_by(answer):
                raise
        except DynamoDBError as error:
            if error.code not in _EXPIRED_CODES:
                raise
            renewed = await self._keyring.renewed(credentials)
            if renewed == credentials:
                raise
            credentials = renewed
        return _response_of(await self._exchange(lane, operation, body, credentials))

    async def _exchange(self, lane: _Lane, operation: str, body: bytes, credentials: Credentials) -> Answer:
        origin, headers = self._headers.get(operation) or self._headers_of(operation)
        added = sign(
            "POST",
            origin.path,
            "",
            headers,
            body,
            credentials.access_key,
            credentials.secret_key,
            credentials.token,
            self.region,
            "dynamodb",
            self._clock.now() + self._skew,
        )
        lines = [f"{name}: {value}\r\n" for name, value in (*headers.items(), *added.items())]
        head = f"POST {origin.path} HTTP/1.1\r\n{''.join(lines)}{_USER_AGENT}Content-Length: {len(body)}\r\n\r\n"
        pool = lane.pools.get(origin) or self._pool(lane, origin)
        return await pool.exchange(head.encode("latin-1") + body)

    def _headers_of(self, operation: str) -> tuple[Origin, dict[str, str]]:
        if not operation.isalnum() or not operation.isascii():
            raise UnknownOperationException(f"{operation!r} is not the name of an operation")
        streams = operation in _STREAM_OPERATIONS
        origin = self._streams if streams else self._tables
        target = f"{'DynamoDBStreams' if streams else 'DynamoDB'}_20120810.{operation}"
        headers = {"Host": origin.authority, "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target}
        self._headers[operation] = origin, headers
        return origin, headers

    def _set_clock_by(self, answer: Answer) -> bool:
        """Whether the server's time is so far from ours that a signature made by its clock is worth a try."""
        try:
            theirs = parsedate_to_datetime(answer.headers[b"date"].decode("latin-1")).timestamp()
        except (KeyError, ValueError):
            return False
        skew = theirs - self._clock.now()
        if abs(skew - self._skew) < _SKEW_SECONDS:
            return False
        self._skew = skew
        return True

    # --- connections --------------------------------------------------------------------------------------------------

    def _lane(self) -> _Lane:
        if self._closed:
            raise StoreClosed
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            for old in [known for known in self._lanes if known.is_closed()]:
                del self._lanes[old]
            lane = self._lanes[loop] = _Lane()
        return lane

    def _pool(self, lane: _Lane, origin: Origin) -> Pool:
        if origin.secure and self._tls is None:
            self._tls = ssl.create_default_context(cafile=self._ca_bundle)
        pool = lane.pools[origin] = Pool(origin, self._tls if origin.secure else None, self._limits)
        return pool


class _Lane:
    """The connections and the calls of one event loop."""

    def __init__(self) -> None:
        self.pools: dict[Origin, Pool] = {}
        self.calls = 0
        self.drained = asyncio.Event()

    def drop_idle(self) -> None:
        for pool in self.pools.values():
            pool.drop_idle()


def _source(credentials: _CredentialsLike | None, chain: Chain, origin: Origin) -> Callable[[], Credentials]:
    if callable(credentials):
        return credentials
    if credentials is not None:
        given = credentials if isinstance(credentials, Credentials) else Credentials(*credentials)
        return lambda: given
    if origin.loopback:  # no process is run and no server asked for the sake of an endpoint on this machine
        return lambda: chain.static() or _LOCAL_CREDENTIALS
    return chain


def _body(request: Request) -> bytes:
    try:
        return orjson.dumps(request, default=_mapping)
    except TypeError as error:
        raise SerializationException(f"the request is not DynamoDB's JSON: {error}") from None


def _mapping(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
