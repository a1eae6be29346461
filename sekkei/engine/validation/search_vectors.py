"""SearchVectors."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import List, Number
from sekkei.engine.validation.table_name import TABLE_NAME, ItemOperation

__all__ = ["SHAPE", "rules"]

SHAPE = ItemOperation(
    "SearchVectorsInput",
    "IndexName SearchVector TopK",
    TableName=TABLE_NAME,
    IndexName=fields.INDEX_NAME,
    ReturnConsumedCapacity=fields.RETURN_CONSUMED_CAPACITY,
    ExpressionAttributeNames=fields.NAMES,
    ExpressionAttributeValues=fields.ITEM,
    ProjectionExpression=fields.STRING,
    SearchVector=List(fields.VALUE, shortest=1, longest=4096),
    SearchConditionExpression=fields.STRING,
    TopK=Number(least=1),
)
