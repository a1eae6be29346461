"""An HTTP answer of DynamoDB as a response, or as the typed error that it tells of."""

from __future__ import annotations

import zlib
from typing import Any

import orjson

from sekkei.errors import (
    BY_CODE,
    ConditionalCheckFailedException,
    DamagedAnswer,
    DynamoDBError,
    InternalServerError,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    ServiceUnavailable,
    ThrottlingException,
    TransactionCanceledException,
    UnknownError,
)
from sekkei.store.http import Answer
from sekkei.store.protocol import Response


def response_of(answer: Answer) -> Response:
    """The response in the answer's body, or the error raised."""
    _check_crc32(answer)
    if answer.status != 200:
        raise error_of(answer)
    try:
        response = orjson.loads(answer.body) if answer.body else {}
    except orjson.JSONDecodeError:
        raise _damaged(answer, "the answer is not JSON") from None
    if not isinstance(response, dict):
        raise _damaged(answer, "the answer is not a JSON object")
    return response


def error_of(answer: Answer) -> DynamoDBError:
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
