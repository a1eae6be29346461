"""Shapes that several operations share."""

from __future__ import annotations

from sekkei.engine.validation.shapes import Boolean, List, Map, Number, String, Structure
from sekkei.engine.validation.table_name import PATTERN
from sekkei.engine.validation.value_shapes import AttributeValue, Item

STRING = String()
BOOLEAN = Boolean()
VALUE = AttributeValue()
ITEM = Item()
NAMES = Map(STRING)
ATTRIBUTES_TO_GET = List(STRING, shortest=1, longest=255)
INDEX_NAME = String(shortest=3, longest=255, pattern=PATTERN)
RETURN_CONSUMED_CAPACITY = String(one_of="INDEXES TOTAL NONE")
RETURN_ITEM_COLLECTION_METRICS = String(one_of="SIZE NONE")
RETURN_VALUES = String(one_of="ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW")
RETURN_VALUES_ON_FAILURE = String(one_of="ALL_OLD NONE")
CONDITIONAL_OPERATOR = String(one_of="OR AND")
SELECT = String(one_of="SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES")
COMPARISON_OPERATOR = String(one_of="IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS")
LIMIT = Number(least=1)
STREAMS_LIMIT = Number(least=1, most=100)

EXPECTED = Map(
    Structure(
        "ExpectedAttributeValue",
        AttributeValueList=List(VALUE),
        ComparisonOperator=COMPARISON_OPERATOR,
        Exists=BOOLEAN,
        Value=VALUE,
    )
)
CONDITIONS = Map(
    Structure("Condition", "ComparisonOperator", AttributeValueList=List(VALUE), ComparisonOperator=COMPARISON_OPERATOR)
)
ATTRIBUTE_UPDATES = Map(Structure("AttributeValueUpdate", Action=String(one_of="ADD DELETE PUT"), Value=VALUE))

PLAIN_TABLE_NAME = String(shortest=3, longest=255, pattern=PATTERN)
TABLE_ARN = String(shortest=1, longest=1024)
RESOURCE_ARN = String(shortest=1, longest=1283)
ARN = String(shortest=37, longest=1024)
SHARD_ID = String(shortest=28, longest=65)
TIME = Number("Double")
CLIENT_REQUEST_TOKEN = String(shortest=1, longest=36)
STATEMENT = String(shortest=1, longest=8192)
PARAMETERS = List(VALUE, shortest=1)
CLIENT_TOKEN = String(pattern=r"[^\$]+")
S3_BUCKET = String(longest=255, pattern=r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+")
S3_BUCKET_OWNER = String(pattern="[0-9]{12}")
S3_PREFIX = String(longest=1024)
