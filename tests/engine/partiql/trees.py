"""Statements of all shapes, as trees: those that make sense and those that only have the form."""

from __future__ import annotations

from hypothesis import strategies as st

from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression

Trees = st.SearchStrategy[Expression]

ANY_NAME = st.text(min_size=1, max_size=8)
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(lambda number: format(number, "f")),
    st.sampled_from(["1e5", "-1.5E-3", "2.", "1.5e+10"]),
).map(nodes.Number)
SCALARS = st.one_of(
    st.text(max_size=8).map(nodes.String),
    NUMBERS,
    st.booleans().map(nodes.Boolean),
    st.just(nodes.Null()),
)


def several(inner: Trees, least: int = 0) -> st.SearchStrategy[tuple[Expression, ...]]:
    return st.lists(inner, min_size=least, max_size=3).map(tuple)


VALUES: Trees = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        several(inner).map(nodes.Sequence),
        several(inner).map(nodes.Bag),
        st.lists(st.tuples(st.text(max_size=5).map(nodes.String), inner), max_size=3).map(
            lambda members: nodes.Struct(tuple(members))
        ),
    ),
    max_leaves=8,
)


def paths(names: st.SearchStrategy[str]) -> Trees:
    steps = st.one_of(
        names.map(nodes.Member), st.integers(0, 99).map(lambda index: nodes.Element(nodes.Number(str(index))))
    )
    return st.builds(
        lambda root, more: nodes.Path(nodes.Identifier(root), tuple(more)) if more else nodes.Identifier(root),
        names,
        st.lists(steps, max_size=3),
    )


def comparisons(operands: Trees) -> Trees:
    functions = ["begins_with", "contains", "size", "attribute_type", "attribute_exists", "coalesce"]
    return st.one_of(
        st.builds(nodes.Compare, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands, operands),
        st.builds(nodes.Between, operands, operands, operands),
        st.builds(nodes.In, operands, several(operands, least=1).map(nodes.Sequence)),
        st.builds(nodes.Is, operands, st.sampled_from(["missing", "null", "string", "double_precision"])),
        st.builds(nodes.Like, operands, operands, st.none() | operands),
        st.builds(nodes.Call, st.sampled_from(functions), several(operands)),
    )


def conditions(leaves: Trees) -> Trees:
    def combined(inner: Trees) -> Trees:
        # A chain of one operator is one node, so no operand is a chain of the same operator.
        return st.one_of(
            inner.map(nodes.Not),
            several(inner.filter(lambda node: not isinstance(node, nodes.And)), least=2).map(nodes.And),
            several(inner.filter(lambda node: not isinstance(node, nodes.Or)), least=2).map(nodes.Or),
        )

    return st.recursive(leaves, combined, max_leaves=8)


RETURNINGS = st.none() | st.sampled_from(["ALL OLD", "ALL NEW", "MODIFIED OLD", "MODIFIED NEW"]).map(nodes.Returning)


def statements(names: st.SearchStrategy[str] = ANY_NAME, tables: Trees | None = None) -> Trees:
    """Any statement, about attributes of these names in these tables."""
    attributes = paths(names)
    operands = st.one_of(attributes, VALUES)
    where = st.none() | conditions(comparisons(operands))
    sources = st.builds(nodes.Source, tables if tables is not None else attributes)
    assigned = st.one_of(
        operands,
        st.builds(nodes.Arithmetic, st.sampled_from(["+", "-"]), attributes, operands),
        st.builds(nodes.Call, st.sampled_from(["list_append", "set_add", "set_delete"]), several(operands)),
    )
    actions = st.one_of(st.builds(nodes.Assign, attributes, assigned), st.builds(nodes.Remove, attributes))
    columns = st.one_of(
        st.just((nodes.Projection(None),)),
        st.lists(attributes.map(nodes.Projection), min_size=1, max_size=3).map(tuple),
    )
    orderings = st.lists(st.builds(nodes.Ordering, attributes, st.booleans()), max_size=2).map(tuple)
    return st.one_of(
        st.builds(nodes.Select, columns, sources, where, orderings),
        st.builds(nodes.Insert, sources, VALUES),
        st.builds(nodes.Update, sources, st.lists(actions, min_size=1, max_size=3).map(tuple), where, RETURNINGS),
        st.builds(nodes.Delete, sources, where, RETURNINGS),
    )
