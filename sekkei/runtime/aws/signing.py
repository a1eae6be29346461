"""Signed requests to AWS's services beside DynamoDB: SES, EventBridge Scheduler, CloudFormation."""

from __future__ import annotations

import os
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.runtime.http import Http
from sekkei.store.aws.credentials import Chain, Keyring
from sekkei.store.aws.settings import Profiles, configured_endpoint, domain
from sekkei.store.http import Answer, Origin
from sekkei.wire import sigv4

_SDK_NAMES = {"email": "sesv2"}
"""What SDKs call a service in AWS_ENDPOINT_URL_<SERVICE>, where that is not the name of its host."""


class AwsService:
    """One service in one region: at its own address, or where AWS_ENDPOINT_URL* or the profile says, as for any SDK."""

    def __init__(self, service: str, region: str, http: Http, clock: Clock, endpoint: str | None = None) -> None:
        self._service = service
        self._region = region
        self._http = http
        self._clock = clock
        profiles = Profiles.load(os.environ)
        endpoint = configured_endpoint(endpoint, os.environ, profiles, _SDK_NAMES.get(service, service))
        self._endpoint = (endpoint or f"https://{service}.{region}.{domain(region)}").rstrip("/")
        self._keyring = Keyring(Chain(os.environ, profiles, region, clock), clock)

    async def call(self, method: str, path: str, content: Any = None, *, query: str = "") -> Answer:
        credentials = await self._keyring.credentials()
        body = b"" if content is None else orjson.dumps(content)
        headers = {"Host": Origin.of(self._endpoint).authority, "Content-Type": "application/json"}
        signature = sigv4.sign(
            method,
            path,
            query,
            headers,
            body,
            credentials.access_key,
            credentials.secret_key,
            credentials.token,
            self._region,
            "ses" if self._service == "email" else self._service,
            self._clock.now(),
        )
        url = self._endpoint + path + (f"?{query}" if query else "")
        return await self._http.request(method, url, headers={**headers, **signature}, body=body)


def error_type(answer: Answer) -> str:
    """The name of the error that AWS answered with."""
    named = answer.headers.get(b"x-amzn-errortype", b"").decode().partition(":")[0]
    if named:
        return named
    try:
        return str(orjson.loads(answer.body).get("__type", "")).rpartition("#")[2]
    except (orjson.JSONDecodeError, AttributeError):
        return ""


def error_message(answer: Answer) -> str:
    try:
        content = orjson.loads(answer.body)
        return str(content.get("message") or content.get("Message") or answer.status)
    except (orjson.JSONDecodeError, AttributeError):
        return str(answer.status)
