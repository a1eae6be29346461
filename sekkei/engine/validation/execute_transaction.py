"""ExecuteTransaction."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import List, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ExecuteTransactionInput",
    "TransactStatements",
    TransactStatements=List(
        Structure(
            "ParameterizedStatement",
            "Statement",
            Statement=fields.STATEMENT,
            Parameters=fields.PARAMETERS,
            ReturnValuesOnConditionCheckFailure=fields.RETURN_VALUES_ON_FAILURE,
        ),
        shortest=1,
        longest=100,
    ),
    ClientRequestToken=fields.CLIENT_REQUEST_TOKEN,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
)
