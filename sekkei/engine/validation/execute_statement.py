"""ExecuteStatement."""

from __future__ import annotations

from typing import Any

from sekkei.engine import values
from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import String, Structure

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


def rules(request: dict[str, Any]) -> Checked:
    checked = Checked(request)
    checked.parameters = [values.normalised(value) for value in request.get("Parameters", ())]
    return checked
