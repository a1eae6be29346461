"""DeleteResourcePolicy."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "DeleteResourcePolicyInput",
    "ResourceArn",
    ResourceArn=fields.RESOURCE_ARN,
    ExpectedRevisionId=String(shortest=1, longest=255),
)
