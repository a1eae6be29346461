"""Statements of all shapes on an engine: what comes back is an answer or one of DynamoDB's errors, and it is right."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.clauses import StatementCondition
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.prepared import Selection, prepare
from sekkei.errors import DynamoDBError, InternalServerError
from tests.engine.partiql import printing, trees
from tests.engine.partiql.running import Running, index

ATTRIBUTES = ("pk", "sk", "a", "b")
# Few values, so that conditions meet items.
STORED = [
    {"pk": {"S": pk}, "sk": {"N": str(sk)}, "a": {"S": "x" if sk % 2 else "y"}, "b": {"L": [{"N": str(sk)}]}}
    for pk, sk in product("pqr", range(4))
]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """One engine for all examples of a test that only reads; a test that writes has its own."""
    found = filled()
    yield found
    found.engine.close()


def filled() -> Running:
    found = Running()

    async def fill() -> None:
        await found.create(
            "pair", "pk", "sk", types="sk:N", GlobalSecondaryIndexes=[index("by_a", "a", "sk", projection="KEYS_ONLY")]
        )
        for item in STORED:
            await found.put("pair", **item)

    asyncio.run(fill())
    return found


def outcome(running: Running, statement: str, **members: Any) -> dict[str, Any] | DynamoDBError:
    answer: dict[str, Any] | DynamoDBError
    try:
        answer = asyncio.run(running.run(statement, **members))
    except DynamoDBError as error:
        answer = error
    assert not isinstance(answer, InternalServerError)
    return answer


@pytest.fixture(scope="module")
def scratch() -> Iterator[Running]:
    found = filled()
    yield found
    found.engine.close()


tables: trees.Trees = st.sampled_from(
    [
        nodes.Identifier("pair"),
        nodes.Path(nodes.Identifier("pair"), (nodes.Member("by_a"),)),
        nodes.Identifier("none"),
    ]
)


@given(trees.statements(st.sampled_from(ATTRIBUTES), tables))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_statement_has_an_answer_or_an_error_of_dynamodb(scratch: Running, tree: Expression) -> None:
    answer = outcome(scratch, printing.statement(tree))
    if isinstance(answer, dict):
        assert isinstance(answer["Items"], list)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_every_text_has_an_answer_or_an_error_of_dynamodb(running: Running, text: str) -> None:
    outcome(running, "SELECT * FROM pair WHERE " + text)


# --- the plan finds what the condition means

pk = st.sampled_from("pqrz").map(nodes.String)
sk = st.integers(-1, 4).map(lambda number: nodes.Number(str(number)))
other = st.sampled_from("xyz").map(nodes.String)


def _tests(name: str, values: trees.Trees) -> trees.Trees:
    attribute = st.just(nodes.Identifier(name))
    return st.one_of(
        st.builds(nodes.Compare, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), attribute, values),
        st.builds(nodes.Compare, st.just("="), attribute, values),
        st.builds(nodes.Between, attribute, values, values),
        st.builds(nodes.In, attribute, trees.several(values, least=1).map(nodes.Sequence)),
    )


anything = trees.conditions(st.one_of(_tests("pk", pk), _tests("sk", sk), _tests("a", other)))


def _keyed(partition: str, partitions: trees.Trees) -> trees.Trees:
    """Alternatives that each name a partition, most of them a range of it as well."""
    named = st.builds(nodes.Compare, st.just("="), st.just(nodes.Identifier(partition)), partitions)
    of_sort_key = _tests("sk", sk)
    branch = st.tuples(
        named, st.lists(st.one_of(of_sort_key, of_sort_key, of_sort_key.map(nodes.Not), anything), max_size=3)
    ).map(lambda parts: nodes.And((parts[0], *parts[1])) if parts[1] else parts[0])
    flat = branch.map(lambda node: node if isinstance(node, nodes.Compare) else _flat(node))
    return st.lists(flat, min_size=1, max_size=3).map(lambda all_: nodes.Or(tuple(all_)) if len(all_) > 1 else all_[0])


def _flat(node: Expression) -> Expression:
    assert isinstance(node, nodes.And)
    parts = [inner for part in node.operands for inner in (part.operands if isinstance(part, nodes.And) else (part,))]
    return nodes.And(tuple(parts))


@given(
    st.one_of(
        st.tuples(st.just("pair"), _keyed("pk", pk)),
        st.tuples(st.just("pair.by_a"), _keyed("a", other)),
        st.tuples(st.sampled_from(["pair", "pair.by_a"]), anything),
    ),
    st.integers(1, 5),
)
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_select_finds_all_items_that_meet_its_clause_once(
    running: Running, source: tuple[str, Expression], limit: int
) -> None:
    table, clause = source
    statement = f"SELECT pk, sk FROM {table} WHERE {printing.text(clause)}"
    answer = outcome(running, statement)
    if isinstance(answer, DynamoDBError):
        assert "Overlapping" in answer.message or "BETWEEN" in answer.message, answer.message
        return
    selection = prepare(statement, ())
    assert isinstance(selection, Selection)
    assert selection.where is not None
    condition = StatementCondition(selection.where, selection.bindings)
    expected = [{"pk": item["pk"], "sk": item["sk"]} for item in STORED if condition.matches(item)]
    assert _sorted(answer["Items"]) == _sorted(expected)
    # And page by page.
    paged: list[dict[str, Any]] = []
    page = outcome(running, statement, Limit=limit)
    while isinstance(page, dict):
        paged += page["Items"]
        if "NextToken" not in page:
            break
        page = outcome(running, statement, Limit=limit, NextToken=page["NextToken"])
    assert paged == answer["Items"]


def _sorted(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["N"]))
