"""What a store can raise beyond DynamoDB's own errors.

    DynamoDBError
    ├── ConfigurationError     a region, profile or endpoint is missing or malformed
    ├── CredentialsError       no credentials were found, or their source refused
    ├── NoAnswer               the endpoint was not reached, broke off or took too long; retryable
    ├── DamagedAnswer          an answer arrived that does not match its CRC32 or is not JSON; retryable
    ├── StoreClosed            the store was closed before the call
    └── UnknownError           the endpoint answered with a code that has no class; `code` tells which

All are `DynamoDBError`s, so that one `except` clause covers whatever a store raises.
"""

from __future__ import annotations

from sekkei.engine.errors import DynamoDBError


class ConfigurationError(DynamoDBError):
    pass


class CredentialsError(DynamoDBError):
    pass


class NoAnswer(DynamoDBError):
    retryable = True


class DamagedAnswer(DynamoDBError):
    retryable = True


class StoreClosed(DynamoDBError):
    def __init__(self, message: str = "the store is closed") -> None:
        super().__init__(message)


class UnknownError(DynamoDBError):
    """An error whose code has no class of its own, with the HTTP status it came with."""

    def __init__(self, code: str, message: str, http_status: int) -> None:
        super().__init__(message)
        self._code = code
        self.http_status = http_status

    @property
    def code(self) -> str:
        return self._code

    def __str__(self) -> str:
        return f"{self._code}: {self.message}"
