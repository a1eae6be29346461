"""ExecuteStatement. What its statement and parameters say is read by `sekkei.engine.partiql`."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ExecuteStatementInput",
    "Statement",
    Statement=fields.STATEMENT,
    Parameters=fields.PARAMETERS,
    ConsistentRead=fields.BOOLEAN,
    NextToken=String(shortest=1, longest=32768),
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    Limit=fields.LIMIT,
    ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
)
