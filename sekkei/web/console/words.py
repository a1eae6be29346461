"""What went wrong, as a sentence in the language of whoever asks; the store's own words stand behind it."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.advice.pattern_runner import BadArgument
from sekkei.design import CursorRefused, SekkeiError
from sekkei.errors import (
    AccessDeniedException,
    CredentialsError,
    DamagedAnswer,
    DynamoDBError,
    NoAnswer,
    StoreClosed,
    ValidationException,
)
from sekkei.web.texts import t

GONE = (NoAnswer, StoreClosed, DamagedAnswer)


def in_words(request: Request, error: Exception) -> str:
    if isinstance(error, BadArgument):
        return t(request, f"console.wrong.{error.code}", **error.values)
    if isinstance(error, CursorRefused):
        return t(request, "problem.cursor")
    if isinstance(error, GONE):
        return t(request, "console.wrong.store-gone", why=str(error))
    if isinstance(error, AccessDeniedException | CredentialsError):
        return t(request, "console.wrong.store-denied", why=str(error))
    if isinstance(error, ValidationException):
        return t(request, "console.wrong.store-invalid", why=error.message)
    if isinstance(error, DynamoDBError):
        return t(request, "console.wrong.store-refused", code=error.code, why=error.message)
    assert isinstance(error, SekkeiError)
    return t(request, "console.wrong.design-refused", why=str(error))
