"""The seam: something that answers DynamoDB's operations."""

from sekkei.store.protocol import Store

__all__ = ["Store"]
