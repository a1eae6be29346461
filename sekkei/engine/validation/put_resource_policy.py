"""PutResourcePolicy."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "PutResourcePolicyInput",
    "ResourceArn Policy",
    ResourceArn=fields.RESOURCE_ARN,
    Policy=fields.STRING,
    ExpectedRevisionId=String(shortest=1, longest=255),
    ConfirmRemoveSelfResourceAccess=fields.BOOLEAN,
)
