"""BatchExecuteStatement."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import execute_statement, fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import List, Structure

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


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request)
    checked.parts = [execute_statement.rules(statement) for statement in request["Statements"]]
    return checked
