"""BatchExecuteStatement."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import List, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "BatchExecuteStatementInput",
    "Statements",
    Statements=List(
        Structure(
            "BatchStatementRequest",
            "Statement",
            Statement=fields.STATEMENT,
            Parameters=fields.PARAMETERS,
            ConsistentRead=fields.BOOLEAN,
            ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
        ),
        shortest=1,
        longest=25,
    ),
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
)
