"""Every error of the seam, typed: DynamoDB's own, and a store's beside them. Only the wire turns them into bytes.

    DynamoDBError
    ├── ValidationException                        the request breaks a rule
    ├── SerializationException                     a JSON value has the wrong type
    ├── ConditionalCheckFailedException            .item holds the old item when the caller asked for it
    ├── TransactionCanceledException               .reasons holds one entry per action, in order
    ├── TransactionConflictException
    ├── TransactionInProgressException
    ├── IdempotentParameterMismatchException
    ├── DuplicateItemException                     PartiQL INSERT of an item that is there
    ├── ResourceNotFoundException
    │   ├── TableNotFoundException
    │   ├── BackupNotFoundException, ExportNotFoundException, ImportNotFoundException
    │   └── PolicyNotFoundException, GlobalTableNotFoundException
    ├── ResourceInUseException
    │   ├── TableInUseException, TableAlreadyExistsException, BackupInUseException
    ├── LimitExceededException
    ├── ItemCollectionSizeLimitExceededException
    ├── ProvisionedThroughputExceededException     retryable; .reasons says which limit, when DynamoDB says so
    ├── ThrottlingException                        retryable
    ├── RequestLimitExceeded                       retryable
    ├── ContinuousBackupsUnavailableException, PointInTimeRecoveryUnavailableException
    ├── InvalidRestoreTimeException, InvalidExportTimeException
    ├── ExportConflictException, ImportConflictException
    ├── ExpiredIteratorException, TrimmedDataAccessException
    ├── UnknownOperationException
    ├── AccessDeniedException, UnrecognizedClientException, InvalidSignatureException,
    │   MissingAuthenticationTokenException, IncompleteSignatureException
    ├── InternalServerError                        retryable; status 500
    │   └── ServiceUnavailable                     retryable; status 503
    │
    │   beside DynamoDB's own, from a store:
    ├── ConfigurationError                         a region, profile or endpoint is missing or malformed
    ├── CredentialsError                           no credentials were found, or their source refused
    ├── NoAnswer                                   retryable; the endpoint was not reached, broke off or took too long
    ├── DamagedAnswer                              retryable; an answer does not match its CRC32 or is not JSON
    ├── StoreClosed                                the store was closed before the call
    └── UnknownError                               the endpoint answered a code that has no class; `code` tells which

`NotOurFile`, for a file that is no store of ours, stands outside that tree.

The name of a class is the error's code on the wire. `namespace` is what stands before `#` in `__type`.
"""

from __future__ import annotations

from typing import Any, ClassVar

DYNAMODB = "com.amazonaws.dynamodb.v20120810"
CORAL_SERVICE = "com.amazon.coral.service"
CORAL_VALIDATE = "com.amazon.coral.validate"


class DynamoDBError(Exception):
    """Anything DynamoDB answers instead of a result."""

    status: ClassVar[int] = 400
    namespace: ClassVar[str] = DYNAMODB
    retryable: ClassVar[bool] = False

    request_id: str | None = None
    """The answer's x-amzn-RequestId, when the error came over the wire."""

    answer_lost = False
    """An earlier try of the same call may have been carried out: its answer never came."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    @property
    def code(self) -> str:
        return type(self).__name__

    def details(self) -> dict[str, Any]:
        """The members that the error carries beside its message, as they stand on the wire."""
        return {}


class ValidationException(DynamoDBError):
    namespace = CORAL_VALIDATE


class SerializationException(DynamoDBError):
    namespace = CORAL_SERVICE


class ConditionalCheckFailedException(DynamoDBError):
    def __init__(self, message: str = "The conditional request failed", item: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.item = item

    def details(self) -> dict[str, Any]:
        return {} if self.item is None else {"Item": self.item}


class TransactionCanceledException(DynamoDBError):
    """`reasons` has one entry per action: {"Code": "None"} or {"Code", "Message", "Item"?}."""

    def __init__(self, message: str, reasons: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.reasons = reasons

    @classmethod
    def of(cls, reasons: list[dict[str, Any]]) -> TransactionCanceledException:
        codes = ", ".join(reason["Code"] for reason in reasons)
        return cls(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]", reasons
        )

    def details(self) -> dict[str, Any]:
        return {"CancellationReasons": self.reasons}


class TransactionConflictException(DynamoDBError):
    retryable = True

    def __init__(self, message: str = "Transaction is ongoing for the item") -> None:
        super().__init__(message)


class TransactionInProgressException(DynamoDBError):
    retryable = True


class IdempotentParameterMismatchException(DynamoDBError):
    pass


class DuplicateItemException(DynamoDBError):
    pass


class ResourceNotFoundException(DynamoDBError):
    pass


class TableNotFoundException(ResourceNotFoundException):
    pass


class BackupNotFoundException(ResourceNotFoundException):
    pass


class ExportNotFoundException(ResourceNotFoundException):
    pass


class ImportNotFoundException(ResourceNotFoundException):
    pass


class PolicyNotFoundException(ResourceNotFoundException):
    pass


class GlobalTableNotFoundException(ResourceNotFoundException):
    pass


class ResourceInUseException(DynamoDBError):
    pass


class TableInUseException(ResourceInUseException):
    pass


class TableAlreadyExistsException(ResourceInUseException):
    pass


class BackupInUseException(ResourceInUseException):
    pass


class LimitExceededException(DynamoDBError):
    pass


class ItemCollectionSizeLimitExceededException(DynamoDBError):
    pass


class ProvisionedThroughputExceededException(DynamoDBError):
    retryable = True

    def __init__(
        self,
        message: str = (
            "The level of configured provisioned throughput for the table was exceeded. "
            "Consider increasing your provisioning level with the UpdateTable API."
        ),
        reasons: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(message)
        self.reasons = reasons

    def details(self) -> dict[str, Any]:
        return {} if self.reasons is None else {"ThrottlingReasons": self.reasons}


class ThrottlingException(DynamoDBError):
    retryable = True

    def __init__(self, message: str = "", reasons: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.reasons = reasons

    def details(self) -> dict[str, Any]:
        return {} if self.reasons is None else {"throttlingReasons": self.reasons}


class RequestLimitExceeded(DynamoDBError):
    retryable = True

    def __init__(self, message: str = "", reasons: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.reasons = reasons

    def details(self) -> dict[str, Any]:
        return {} if self.reasons is None else {"ThrottlingReasons": self.reasons}


class ContinuousBackupsUnavailableException(DynamoDBError):
    pass


class PointInTimeRecoveryUnavailableException(DynamoDBError):
    pass


class InvalidRestoreTimeException(DynamoDBError):
    pass


class InvalidExportTimeException(DynamoDBError):
    pass


class ExportConflictException(DynamoDBError):
    pass


class ImportConflictException(DynamoDBError):
    pass


class ExpiredIteratorException(DynamoDBError):
    pass


class TrimmedDataAccessException(DynamoDBError):
    pass


class UnknownOperationException(DynamoDBError):
    namespace = CORAL_SERVICE


class AccessDeniedException(DynamoDBError):
    namespace = CORAL_SERVICE


class UnrecognizedClientException(DynamoDBError):
    namespace = CORAL_SERVICE


class InvalidSignatureException(DynamoDBError):
    namespace = CORAL_SERVICE


class MissingAuthenticationTokenException(DynamoDBError):
    namespace = CORAL_SERVICE


class IncompleteSignatureException(DynamoDBError):
    namespace = CORAL_SERVICE


class InternalServerError(DynamoDBError):
    status = 500
    retryable = True


class ServiceUnavailable(InternalServerError):
    status = 503


def _tree(root: type[DynamoDBError]) -> dict[str, type[DynamoDBError]]:
    found = {root.__name__: root}
    for child in root.__subclasses__():
        found.update(_tree(child))
    return found


BY_CODE: dict[str, type[DynamoDBError]] = _tree(DynamoDBError)
"""DynamoDB's own errors by their code, for whoever reads one from the wire. What follows never comes over it."""


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


class NotOurFile(Exception):
    """The file exists and is not a Sekkei store, or is one that this version cannot read. No answer of DynamoDB's."""


class DamagedFile(NotOurFile):
    """The store has lost something that was acknowledged. It is left as it is, for `sekkei recover`."""
