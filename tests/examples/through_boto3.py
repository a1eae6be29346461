"""A store that is a boto3 client: a design's requests go out as boto3 sends them."""

from __future__ import annotations

from typing import Any

import boto3
from botocore import xform_name
from botocore.exceptions import ClientError

from sekkei import errors


class ThroughBoto3:
    needs_no_loop = True  # boto3 blocks

    def __init__(self, url: str) -> None:
        self.client = boto3.client(
            "dynamodb",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )

    async def call(self, operation: str, request: Any) -> Any:
        try:
            return getattr(self.client, xform_name(operation))(**request)
        except ClientError as error:
            raise _translated(error) from error

    async def close(self) -> None:
        self.client.close()


def _translated(error: ClientError) -> Exception:
    """DynamoDB's error as the seam has it."""
    body: Any = error.response
    code, message = body["Error"]["Code"], body["Error"].get("Message", "")
    if code == "TransactionCanceledException":
        return errors.TransactionCanceledException.of(body["CancellationReasons"])
    found: Any = getattr(errors, code)(message)
    if "Item" in body:
        found.item = body["Item"]
    return found  # type: ignore[no-any-return]
