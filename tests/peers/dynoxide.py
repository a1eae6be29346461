"""Dynoxide: it words its refusals as DynamoDB does, so what it says to a single mistake is compared to the letter."""

from __future__ import annotations

from tests.peers.differences import (
    CANCELLED,
    REFUSED,
    SEVERAL_FAULTS,
    UNMET,
    Difference,
    Peer,
    codes,
    makes_a_bare_item,
    members,
    passes,
    says,
    words,
)

PEER = Peer(
    exact_words=True,
    known=(
        Difference("Removing from an item that is not there", (makes_a_bare_item,)),
        Difference(
            "A path that leads nowhere",
            (
                codes(None, REFUSED, "", "document path provided in the update expression is invalid"),
                codes(None, CANCELLED, "", "ValidationError"),
                codes(CANCELLED, CANCELLED, "", "ValidationError"),
                words(
                    "document path provided|refers to an attribute", "operand in the update expression has an incorrect"
                ),
            ),
        ),
        Difference(
            "The wording of bounds and enumerations",
            (
                words("at 'tableName' failed", "at 'TableName' failed"),
                words("must satisfy enum value set", "must satisfy enum value set"),
                words("at '(segment|totalSegments|limit)'", "at '(Segment|TotalSegments|Limit)'"),
                words("The Segment parameter is zero-based", "The Segment parameter is zero-based"),
                words("at '(requestItems|transactItems)'", "missing field|Value '{"),
                words("at 'requestItems'|requestItems parameter", "RequestItems"),
                words("at 'indexName' failed", "does not have the specified index"),
            ),
        ),
        Difference(
            "The wording of faults in expressions",
            (
                words("KeyConditionExpression: An expression attribute", "^An expression attribute"),
                words(
                    "KeyConditionExpression: Attribute name is a reserved", "^Attribute name is a reserved|Syntax error"
                ),
                words("FilterExpression: An expression attribute", "^An expression attribute"),
                words(
                    "Invalid operator used in KeyConditionExpression",
                    "(operator|parenthesis) in KeyConditionExpression",
                ),
                words("operand type: [A-Z]+, typeSet", "operand type: [A-Z]+, typeSet"),
                words("Syntax error; token", "Syntax error; token|Invalid function name|Invalid [A-Z]"),
                words("Attribute name is a reserved keyword", "Syntax error; token"),
                words(
                    "can only be specified when using expressions: ",
                    "can only be specified when using expressions|Either the",
                ),
                words("at 'conditionalOperator' failed", "Can not use both|ConditionalOperator cannot be used"),
                words("attribute value: :v", "attribute value: :v"),
                words("Two document paths overlap", "Two document paths overlap"),
            ),
        ),
        Difference(
            "The wording of faults in values",
            (
                *passes("ExpressionAttributeValues contains invalid value: "),
                words("Input collection", "Input collection"),
                words("cannot be converted to a numeric value$", "cannot be converted to a numeric value: $"),
                words("BETWEEN operator requires upper bound", "BETWEEN operator requires upper bound"),
                words("Number overflow", "more than 38 significant digits"),
            ),
        ),
        Difference(
            SEVERAL_FAULTS,
            (
                words("Two document paths overlap|Number overflow", "operand|document path provided"),
                words("unused in", "Query condition missed"),
                words("unused in|An expression attribute", "Expected value reference|redundant parentheses"),
                words("", "redundant parentheses"),
            ),
        ),
        Difference("Unknown values in a filter", passes("Filter\\w+: An expression attribute value", "Query Scan")),
        Difference("Types of constants", passes("Incorrect operand type for operator or function")),
        Difference("Bounds in the wrong order", passes("BETWEEN (operator|condition)")),
        Difference("The same operand twice", passes("first operand must be distinct")),
        Difference("A type that there is not", passes("Invalid attribute type name found")),
        Difference(
            "Why a transaction is cancelled",
            (
                codes(REFUSED, CANCELLED),
                codes(REFUSED, None, "", "", "TransactWriteItems"),
                codes(CANCELLED, REFUSED, "ValidationError", "multiple operations on one item"),
                codes(CANCELLED, CANCELLED, "ValidationError"),
            ),
        ),
        Difference(
            "Attributes that are empty",
            (members("Attributes", "UpdateItem"), members("Responses", "TransactGetItems BatchGetItem GetItem")),
        ),
        Difference("Capacity of indexes", (members("ConsumedCapacity"),)),
        Difference(
            "NOT_CONTAINS of what is not there",
            (says("NOT_CONTAINS", codes(UNMET, None), members("Count,Items", "Query Scan")),),
        ),
        Difference("Legacy conditions of a wrong type", passes("ComparisonOperator .* is not valid for")),
        Difference("A start key where nothing can follow", passes("provided exclusive start key is invalid", "Query")),
        Difference(
            "An index that is not there", (words("does not have the specified index", "Consistent reads are not"),)
        ),
        Difference("A key in an update", passes("Cannot update attribute")),
        Difference(
            "Types of index keys",
            (*passes("Type mismatch for Index Key"), *passes("secondary index key to unsupported")),
        ),
        Difference("Paths into keys", passes("Key attributes must be scalars")),
        Difference(
            "What an index holds",
            (
                says('"IndexName"', members("Items,Count", "Query Scan")),
                *passes("Global secondary index .* does not project"),
            ),
        ),
        Difference("A table that is not there", (codes(REFUSED, "ResourceNotFoundException"),)),
    ),
)
