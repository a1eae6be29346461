"""When to try again, and how long to wait before: as the AWS SDKs do for DynamoDB.

Throttling, a server's fault, a transaction still in progress and an answer that never came are tried again after a
random part of an exponentially growing delay. A conflict between transactions is not: whoever lost must look at the
items again before it knows what to write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sekkei.backoff import backoff_seconds
from sekkei.clock import SYSTEM, Clock
from sekkei.errors import DamagedAnswer, DynamoDBError, NoAnswer, UnknownError
from sekkei.store.protocol import Request, Response, Store

_T = TypeVar("_T")

_RETRYABLE_CODES = frozenset(
    {
        "InternalFailure",
        "InternalServerError",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "ReplicatedWriteConflictException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
_RETRYABLE_STATUSES = frozenset({429, 500, 502, 503, 504, 509})

_TOKENS = {
    "TransactWriteItems": "ClientRequestToken",
    "ExecuteTransaction": "ClientRequestToken",
    "ExportTableToPointInTime": "ClientToken",
    "ImportTable": "ClientToken",
}
"""The operations that DynamoDB performs once however often they arrive, and the member that holds their token."""


def is_retryable(error: DynamoDBError) -> bool:
    if isinstance(error, NoAnswer | DamagedAnswer):
        return True
    if isinstance(error, UnknownError) and error.http_status in _RETRYABLE_STATUSES:
        return True
    return error.code in _RETRYABLE_CODES


def _is_unsure(error: DynamoDBError) -> bool:
    """May the call have been carried out all the same? Refusals say that it was not; a server's fault says nothing."""
    if isinstance(error, NoAnswer | DamagedAnswer):
        return True
    if isinstance(error, UnknownError):
        return error.http_status >= 500
    return error.code in ("InternalFailure", "InternalServerError", "RequestTimeout", "RequestTimeoutException")


def with_token(operation: str, request: Request, clock: Clock) -> Request:
    """The request with an idempotency token where the operation takes one, so that trying again cannot do it twice."""
    member = _TOKENS.get(operation)
    if member is None or member in request:
        return request
    return {**request, member: clock.uuid()}


@dataclass(frozen=True)
class Retries:
    """Up to `attempts` in all; before the n-th further one a random part of `base_seconds` × 2ⁿ⁻¹."""

    attempts: int = 10
    base_seconds: float = 0.05
    cap_seconds: float = 20.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError("a call takes at least one attempt")

    async def run(
        self, attempt: Callable[[], Awaitable[_T]], clock: Clock, sleep: Callable[[float], Awaitable[None]]
    ) -> _T:
        """What `attempt` returns, at the first time that it does not fail or fails for good."""
        failures, answer_lost = 0, False
        while True:
            try:
                return await attempt()
            except DynamoDBError as error:
                failures += 1
                error.answer_lost = answer_lost
                answer_lost = answer_lost or _is_unsure(error)
                if failures >= self.attempts or not is_retryable(error):
                    raise
            await sleep(self.delay(failures, clock))

    def delay(self, failures: int, clock: Clock) -> float:
        return backoff_seconds(failures, first=self.base_seconds, longest=self.cap_seconds, clock=clock)


class Retrying:
    """A store that tries again over one that does not, such as `Weather` over `Embedded`."""

    def __init__(
        self,
        store: Store,
        retries: Retries | None = None,
        *,
        clock: Clock = SYSTEM,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._retries = retries or Retries()
        self._clock = clock
        self._sleep = sleep

    async def call(self, operation: str, request: Request) -> Response:
        request = with_token(operation, request, self._clock)
        return await self._retries.run(lambda: self._store.call(operation, request), self._clock, self._sleep)

    async def close(self) -> None:
        await self._store.close()
