"""A store that can only be read: whatever would change it is refused before it leaves this process.

store = ReadOnly(open_store("dynamodb://ap-northeast-1"))
"""

from __future__ import annotations

import re

from sekkei.errors import AccessDeniedException
from sekkei.store.protocol import Request
from sekkei.store.wrapper import Wrapper

READS = frozenset(
    {
        "BatchGetItem",
        "DescribeContinuousBackups",
        "DescribeEndpoints",
        "DescribeLimits",
        "DescribeStream",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "GetRecords",
        "GetShardIterator",
        "ListStreams",
        "ListTables",
        "ListTagsOfResource",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
"""An operation that is not named here is refused, one that DynamoDB will have tomorrow too."""

_SELECT = re.compile(r"\s*SELECT\b", re.IGNORECASE)


class ReadOnly(Wrapper):
    """Any store, for reading alone."""

    def before(self, operation: str, request: Request) -> Request:
        if not _reads(operation, request):
            raise AccessDeniedException(f"{operation} is refused: this store is open for reading only.")
        return request


def _reads(operation: str, request: Request) -> bool:
    if operation == "ExecuteStatement":
        return _SELECT.match(str(request.get("Statement", ""))) is not None
    return operation in READS
