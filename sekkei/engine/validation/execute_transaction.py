"""ExecuteTransaction."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import execute_statement, fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import List, Structure

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


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request)
    checked.parts = [execute_statement.rules(statement) for statement in request["TransactStatements"]]
    return checked
