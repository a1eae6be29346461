"""A blocking HTTP request for the sources of credentials, which run in a thread of their own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from sekkei.backoff import backoff_seconds
from sekkei.errors import CredentialsError

ANSWER_BYTES_MAX = 1024 * 1024


def fetch(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    source: str,
    timeout: float = 10.0,
    attempts: int = 3,
) -> tuple[int, bytes]:
    """Status and body. A server that cannot be reached, or fails, is asked again; then it is a CredentialsError."""
    from http.client import HTTPException  # here, since most programs never come this way

    failure = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(backoff_seconds(attempt, first=0.2, longest=1.0))
        try:
            status, answer = _once(method, url, headers, body, timeout)
        except (OSError, HTTPException) as error:
            failure = str(error) or type(error).__name__
            continue
        if status < 500 and status != 429:
            return status, answer
        failure = f"status {status}"
    raise CredentialsError(f"{source} gave no answer: {failure}")


def _once(method: str, url: str, headers: Mapping[str, str], body: bytes, timeout: float) -> tuple[int, bytes]:
    from http.client import HTTPConnection, HTTPSConnection

    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body or None, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read(ANSWER_BYTES_MAX)
    finally:
        connection.close()


def parsed(answer: bytes, source: str) -> Any:
    try:
        return orjson.loads(answer)
    except orjson.JSONDecodeError:
        raise CredentialsError(f"{source} answered with something that is not JSON") from None
