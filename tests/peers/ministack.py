"""Ministack: a second opinion on what well-formed requests do. It checks less than DynamoDB, and in its own words."""

from __future__ import annotations

from tests.peers.answers import LEFT
from tests.peers.differences import (
    CANCELLED,
    REFUSED,
    UNMET,
    Difference,
    Peer,
    codes,
    makes_a_bare_item,
    members,
    passes,
    says,
)

WRITES = "PutItem UpdateItem DeleteItem TransactWriteItems"
OUTCOMES = tuple(
    codes(ours, theirs)
    for ours in (None, UNMET, CANCELLED)
    for theirs in (None, UNMET, CANCELLED)
    if (ours, theirs) != (None, None)
)

PEER = Peer(
    exact_words=False,
    known=(
        Difference("Removing from an item that is not there", (makes_a_bare_item,)),
        Difference("A path that leads nowhere", passes("document path provided in the update expression is invalid")),
        Difference(
            "Why a transaction is cancelled",
            tuple(codes(CANCELLED, theirs, "ValidationError") for theirs in (None, REFUSED, CANCELLED)),
        ),
        Difference(
            "Placeholders without an expression in a transaction",
            tuple(codes(ours, REFUSED, "", "can only be specified|unused in") for ours in (None, CANCELLED)),
        ),
        Difference(
            "Capacity of batches and transactions",
            (members("ConsumedCapacity", "BatchGetItem BatchWriteItem TransactGetItems TransactWriteItems"),),
        ),
        Difference(
            "Comparing what is not there",
            (says(r'size\(| (=|<>) [#a-z]|"NE"', *OUTCOMES, members("Count,Items,ScannedCount", "Query Scan")),),
        ),
        Difference("Adding to a list", (codes(None, REFUSED, "", "Action ADD is only supported"),)),
        Difference(
            "NULL and NOT_NULL in Expected",
            tuple(codes(ours, REFUSED, "", r"with ComparisonOperator: (NOT_)?NULL") for ours in (None, UNMET)),
        ),
        Difference("Arithmetic on what is no number", passes("operand in the update expression has an incorrect")),
        Difference("The same operand twice", passes("first operand must be distinct")),
        Difference(
            "begins_with of another type",
            tuple(codes(ours, REFUSED, "", "begins_with, operand type") for ours in (None, UNMET, CANCELLED)),
        ),
        Difference(
            "Attributes that are empty",
            (members("Attributes", "UpdateItem"), members("Responses,ConsumedCapacity", "TransactGetItems")),
        ),
        Difference(
            "Numbers of 38 digits",
            (
                says("9{20}|1E-130|e125|1e3", members(f"{LEFT},Attributes")),
                codes(None, REFUSED, "", r"numeric value: -?\d\.\d{27}E"),
                codes(None, REFUSED, "", "Number overflow"),
                *passes("Number overflow"),
            ),
        ),
        Difference(
            "NOT_CONTAINS of what is not there",
            (says("NOT_CONTAINS", codes(UNMET, None), members("Count,Items,ScannedCount", "Query Scan")),),
        ),
        Difference(
            "Parameters that an operation does not have",
            (
                codes(None, REFUSED, "", "at '(returnItemCollectionMetrics|returnValues|select)'"),
                says('"QueryFilter"', members("Items,Count", "Scan")),
                says('"ScanFilter"', members("Items,Count", "Query")),
            ),
        ),
        Difference(
            "Types of index keys",
            (*passes("Index Key|secondary index key to unsupported"), codes(UNMET, REFUSED, "", "Index Key")),
        ),
        Difference("Two changes of one attribute", passes("Two document paths overlap")),
        Difference("The condition comes first", (codes(UNMET, REFUSED, "", "document path|overflow|incorrect data"),)),
        Difference(
            "Old filters joined by OR",
            (says('"ConditionalOperator": "OR"', *OUTCOMES, members("Items,Count", "Query Scan")),),
        ),
        Difference("Conditions on another type", (says("CONTAINS", members("Items,Count", "Query Scan")),)),
        Difference(
            "What an index holds", (says('"IndexName"', members("Items,Count,ConsumedCapacity", "Query Scan")),)
        ),
    ),
)
