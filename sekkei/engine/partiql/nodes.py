"""A parsed statement: immutable, without parameters, so that one text is parsed once.

Every node knows where it stood, because messages say so; two nodes are equal when they mean the same, wherever they
stood.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sekkei.engine.partiql.tokens import NOWHERE, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    at: Span = field(default=NOWHERE, compare=False, repr=False)


# --- values


@dataclass(frozen=True, slots=True)
class String(Node):
    text: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    text: str


@dataclass(frozen=True, slots=True)
class Boolean(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class Null(Node):
    pass


@dataclass(frozen=True, slots=True)
class Missing(Node):
    pass


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    index: int
    """The place among the statement's question marks, from 0."""


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """[a, b] or (a, b)"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Bag(Node):
    """<<a, b>>"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Struct(Node):
    """{'a': b}"""

    members: tuple[tuple[Expression, Expression], ...]


# --- paths


@dataclass(frozen=True, slots=True)
class Identifier(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Member(Node):
    """.name"""

    name: str


@dataclass(frozen=True, slots=True)
class Element(Node):
    """[index]"""

    index: Expression


@dataclass(frozen=True, slots=True)
class Wildcard(Node):
    """.* or [*]"""

    in_brackets: bool


@dataclass(frozen=True, slots=True)
class Path(Node):
    root: Expression
    steps: tuple[Member | Element | Wildcard, ...]


# --- operators


@dataclass(frozen=True, slots=True)
class Or(Node):
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class And(Node):
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Compare(Node):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Sign(Node):
    """+a or -a, where a is no number: a number has taken its sign in."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Between(Node):
    value: Expression
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class In(Node):
    value: Expression
    choices: Expression


@dataclass(frozen=True, slots=True)
class Is(Node):
    value: Expression
    type_name: str


@dataclass(frozen=True, slots=True)
class Like(Node):
    value: Expression
    pattern: Expression
    escape: Expression | None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function by its lower-case name; `star` is `name(*)`."""

    name: str
    arguments: tuple[Expression, ...]
    star: bool = False


# --- statements


@dataclass(frozen=True, slots=True)
class Source(Node):
    """What stands after FROM, UPDATE or INSERT INTO."""

    expression: Expression
    aliased: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """One item of a SELECT list; the star has no expression."""

    expression: Expression | None
    aliased: bool = False


@dataclass(frozen=True, slots=True)
class Ordering(Node):
    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Select(Node):
    projections: tuple[Projection, ...]
    source: Source
    where: Expression | None = None
    orderings: tuple[Ordering, ...] = ()
    unsupported: tuple[tuple[str, Span], ...] = field(default=(), compare=False)
    """Clauses that PartiQL has and DynamoDB has not, with the place to show for them."""


@dataclass(frozen=True, slots=True)
class Insert(Node):
    source: Source
    value: Expression
    with_value: bool = True
    """False for `INSERT INTO table <expression>`, which inserts many."""
    unsupported: tuple[tuple[str, Span], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Assign(Node):
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Remove(Node):
    target: Expression


@dataclass(frozen=True, slots=True)
class Returning(Node):
    """`variant` is "ALL OLD" and so on; `columns` are there when it is not the star."""

    variant: str
    columns: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Update(Node):
    source: Source
    actions: tuple[Assign | Remove | Insert, ...]
    where: Expression | None = None
    returning: Returning | None = None


@dataclass(frozen=True, slots=True)
class Delete(Node):
    source: Source
    where: Expression | None = None
    returning: Returning | None = None


@dataclass(frozen=True, slots=True)
class Actions(Node):
    """SET, REMOVE or INSERT that stand for themselves, with no UPDATE before them."""

    actions: tuple[Assign | Remove | Insert, ...]


_Statement = Select | Insert | Update | Delete | Actions

Expression = (
    String
    | Number
    | Boolean
    | Null
    | Missing
    | Parameter
    | Sequence
    | Bag
    | Struct
    | Identifier
    | Path
    | Or
    | And
    | Not
    | Compare
    | Arithmetic
    | Sign
    | Between
    | In
    | Is
    | Like
    | Call
    | _Statement
)
