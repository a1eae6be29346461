"""What went wrong, said once: as `application/problem+json` (RFC 9457) to programs, as a page to people."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sekkei.design import ConditionFailed, Contended, CursorRefused, TransactionFailed, ValueRefused
from sekkei.errors import DynamoDBError
from sekkei.runtime.refusals import ProofNeeded, Refusal, SignInNeeded, TooMany
from sekkei.web.rendering import page
from sekkei.web.routing import path_for_logs
from sekkei.web.texts import language_of, t

log = logging.getLogger("sekkei.web")

_BUSY = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
        "NoAnswer",
        "StoreClosed",
        "InternalServerError",
    }
)


_CODES = {
    400: "bad-request",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
    421: "misdirected",
    503: "busy",
}


def _wants_json(request: Request) -> bool:
    """Programs say so: by the route, by what they accept, or by what they send."""
    if request.scope.get("sekkei.api") or request.scope["path"].split("/")[2:3] == ["api"]:
        return True  # by its path too: what the gate refuses has not come to a route yet
    accept = request.headers.get("accept", "")
    if "text/html" in accept:
        return False
    return "json" in accept or request.headers.get("content-type", "").startswith("application/json")


def problem(
    request: Request,
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **further: Any,
) -> Response:
    """One answer for both kinds of readers."""
    if not _wants_json(request):
        return page(
            request, "problem.html", status, headers=headers, status=status, code=code, detail=detail, **further
        )
    body = {
        "type": f"urn:sekkei:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "instance": f"urn:sekkei:request:{request.state.id}",
        **further,
    }
    return Response(
        orjson.dumps(body), status, {**(headers or {}), "Cache-Control": "no-store"}, "application/problem+json"
    )


def on_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    headers: dict[str, str] = {}
    further: dict[str, Any] = {}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, SignInNeeded) and not _wants_json(request):
        return _to_sign_in(request)
    if isinstance(error, ProofNeeded) and not _wants_json(request):
        return _to_proof(request)
    if isinstance(error, TooMany):
        headers["Retry-After"] = str(error.retry_after_seconds)
        further["retry_after"] = error.retry_after_seconds
    errors = getattr(error, "errors", None)
    if errors:
        further["errors"] = [{"pointer": f"#/{name}", "detail": text} for name, text in errors.items()]
    elif error.field:
        further["errors"] = [{"pointer": f"#/{error.field}", "detail": error.text(language_of(request))}]
    return problem(request, error.status, error.code, error.text(language_of(request)), headers=headers, **further)


def _to_sign_in(request: Request) -> Response:
    """Back to this page afterwards, or, after a form that cannot be sent again, to the page it stood on."""
    here = request.url.path
    if request.method == "GET":
        here += f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/sign-in?{urlencode({'next': here})}", 303)
    return RedirectResponse("/sign-in", 303)


def _to_proof(request: Request) -> Response:
    """Back to this page afterwards; after a form, to the page it stood on."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if request.method != "GET":
        before = urlsplit(request.headers.get("referer", ""))
        ours = before.netloc == request.headers.get("host", "")
        here = before.path + (f"?{before.query}" if before.query else "") if ours else "/"
    return RedirectResponse(f"/prove?{urlencode({'next': here})}", 303)


def on_http_error(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: no such page, no such method, a body that is too large."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    key = f"problem.{status}" if status in _CODES else "problem.other"
    code = _CODES.get(status, f"http-{status}")
    return problem(request, status, code, t(request, key), headers=error.headers)


def on_design_error(request: Request, error: Exception) -> Response:
    """What the design floor refuses because of what somebody sent, or because others were quicker."""
    if isinstance(error, CursorRefused):
        return problem(request, 400, "cursor", t(request, "problem.cursor"))
    if isinstance(error, ValueRefused):
        return problem(request, 422, "value", t(request, "problem.400"))
    return problem(request, 503, "busy", t(request, "problem.busy"), headers={"Retry-After": "1"})


def on_store_error(request: Request, error: Exception) -> Response:
    if type(error).__name__ in _BUSY:
        log.warning("the store is busy", extra={"request_id": request.state.id, "error": type(error).__name__})
        return problem(request, 503, "busy", t(request, "problem.busy"), headers={"Retry-After": "1"})
    return _on_bug(request, error)


def _on_transaction_failed(request: Request, error: Exception) -> Response:
    """A service that does not say what a failed condition means has a bug; conflicts are nobody's fault."""
    assert isinstance(error, TransactionFailed)
    if all(reason.code == "TransactionConflict" for _, reason in error.reasons):
        return problem(request, 503, "busy", t(request, "problem.busy"), headers={"Retry-After": "1"})
    return _on_bug(request, error)


def on_condition_failed(request: Request, error: Exception) -> Response:
    """A bug as well, unless an answer was lost: then it may have been done, and nobody knows."""
    assert isinstance(error, ConditionFailed)
    if error.unsure:
        return problem(request, 503, "busy", t(request, "problem.busy"), headers={"Retry-After": "1"})
    return _on_bug(request, error)


def _on_bug(request: Request, error: Exception) -> Response:
    """Ours to repair. Nothing of the error goes out but a number to find it by."""
    extra = {"request_id": request.state.id, "path": path_for_logs(request), "method": request.method}
    log.error("a request failed", exc_info=error, extra=extra)
    return problem(request, 500, "internal", t(request, "problem.500"))


def on_any(request: Request, error: Exception) -> Response:
    """Whatever reached the gate: before a route was found, or because nobody else wanted it."""
    return on_store_error(request, error) if isinstance(error, DynamoDBError) else _on_bug(request, error)


def _here(handler: Callable[[Request, Exception], Response]) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answered where the error arises: Starlette would have a plain function called in a thread."""

    async def answer(request: Request, error: Exception) -> Response:
        return handler(request, error)

    return answer


HANDLERS: Mapping[Any, Any] = {
    Refusal: _here(on_refusal),
    HTTPException: _here(on_http_error),
    CursorRefused: _here(on_design_error),
    ValueRefused: _here(on_design_error),
    Contended: _here(on_design_error),
    ConditionFailed: _here(on_condition_failed),
    TransactionFailed: _here(_on_transaction_failed),
    DynamoDBError: _here(on_store_error),
}
