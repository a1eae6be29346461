"""PartiQL's expressions by operator precedence, and its statements: SELECT, INSERT, UPDATE, DELETE, EXISTS(SELECT …).

The grammar, and its errors for text that does not fit, are PartiQL's own, as DynamoDB uses it: everything is an
expression, also a statement, which is why `SLECT * FROM t` is read as a product and fails after its FROM.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from sekkei.engine.partiql.nodes import (
    Actions,
    And,
    Arithmetic,
    Assign,
    Bag,
    Between,
    Boolean,
    Call,
    Compare,
    Delete,
    Element,
    Expression,
    Identifier,
    In,
    Insert,
    Is,
    Like,
    Member,
    Missing,
    Not,
    Null,
    Number,
    Or,
    Ordering,
    Parameter,
    Path,
    Projection,
    Remove,
    Returning,
    Select,
    Sequence,
    Sign,
    Source,
    String,
    Struct,
    Update,
    Wildcard,
)
from sekkei.engine.partiql.tokens import FUNCTION_KEYWORDS, TYPE_NAMES, Span, Token, TokenKind, malformed, tokenize
from sekkei.errors import ValidationException

_NESTING_MAX = 80
"""Levels of brackets and signs; what an item may hold ends at 32."""
_CHAIN_MAX = 80
"""Operators whose left side is such an operator again: `a - b - c` nests as `(a - b) - c` does."""

_OR, _AND, _NOT, _EQUALITY, _ORDER, _SUM, _PRODUCT = 10, 20, 30, 40, 50, 60, 70
_LOOSEST = -1
_PRECEDENCE = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("=", "<>", "is", "is_not", "in", "not_in"), _EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">=", "between", "not_between", "like", "not_like"), _ORDER),
    **dict.fromkeys(("+", "-", "||"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_IDENTIFIERS = (TokenKind.IDENTIFIER, TokenKind.QUOTED_IDENTIFIER)
_MARKERS = frozenset({"as", "at", "by", "for", "asc", "desc"})
"""Keywords that can stand only beside something else."""
_CHAINED = (Compare, Arithmetic, Between, In, Is, Like)


class _ExpressionParser:
    """Reads expressions from tokens, each token once."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._nesting = 0
        self._chained = 0
        self.parameters = 0

    # --- the cursor

    @property
    def head(self) -> Token:
        return self._tokens[self._next]

    def take(self) -> Token:
        token = self._tokens[self._next]
        if token.kind is not TokenKind.END:
            self._next += 1
        return token

    def accept(self, word: str) -> bool:
        if self.head.is_word(word):
            self.take()
            return True
        return False

    def expect(self, kind: TokenKind) -> Token:
        if self.head.kind is not kind:
            raise malformed(f"Expected {kind.value}")
        return self.take()

    def at_end(self) -> bool:
        after = self._tokens[self._next + 1] if self.head.kind is TokenKind.SEMICOLON else self.head
        return after.kind is TokenKind.END

    # --- operators

    def expression(self, precedence: int = _LOOSEST) -> Expression:
        if self._nesting >= _NESTING_MAX:
            raise malformed("Statement is nested too deeply")
        self._nesting += 1
        left = self._signed_term()
        while True:
            operator = self.head
            rank = self._rank(operator)
            if rank <= precedence:
                break
            if isinstance(left, _CHAINED) and rank > _AND:
                self._chained += 1
                if self._chained > _CHAIN_MAX:
                    raise malformed("Statement is nested too deeply")
            self.take()
            left = self._infix(left, operator, rank)
        self._nesting -= 1
        return left

    @staticmethod
    def _rank(token: Token) -> int:
        if token.kind is TokenKind.STAR:
            return _PRODUCT
        return _PRECEDENCE.get(token.text, _LOOSEST) if token.kind is TokenKind.OPERATOR else _LOOSEST

    def _infix(self, left: Expression, operator: Token, rank: int) -> Expression:
        word, at = operator.text, operator.span
        if word in ("is", "is_not"):
            found: Expression = Is(left, self._type_name(), at=at)
        elif word in ("in", "not_in"):
            found = In(left, self._choices(rank), at=at)
        else:
            right = self._right_side(rank)
            if word in ("and", "or"):
                return self._logical(And if word == "and" else Or, left, right, at)
            if word in _COMPARISONS:
                return Compare(word, left, right, at=at)
            if word in ("between", "not_between"):
                found = Between(left, right, self._upper_bound(rank), at=at)
            elif word in ("like", "not_like"):
                found = Like(left, right, self._escape(rank), at=at)
            else:
                return Arithmetic(word, left, right, at=at)
        negated = word.startswith("not_") or word == "is_not"
        return Not(found, at=at) if negated else found

    def _right_side(self, rank: int) -> Expression:
        if self.head.kind is TokenKind.END:
            raise malformed("Missing right-hand side expression of infix operator")
        return self.expression(rank)

    @staticmethod
    def _logical(kind: type[And] | type[Or], left: Expression, right: Expression, at: Span) -> Expression:
        """One node for a whole chain, so that a long WHERE is wide and not deep."""
        before = left.operands if isinstance(left, kind) else (left,)
        after = right.operands if isinstance(right, kind) else (right,)
        return kind(before + after, at=at)

    def _choices(self, rank: int) -> Expression:
        if self.head.kind is not TokenKind.LEFT_PAREN:
            return self._right_side(rank)
        at = self.take().span
        items = self.comma_list()
        self.expect(TokenKind.RIGHT_PAREN)
        return Sequence(items, at=at)

    def _upper_bound(self, rank: int) -> Expression:
        if not self.accept("and"):
            raise malformed("Expected AND keyword")
        if self.at_end():
            raise malformed("Expected expression after AND")
        return self.expression(rank)

    def _escape(self, rank: int) -> Expression | None:
        if not self.accept("escape"):
            return None
        if self.at_end():
            raise malformed("Expected expression after ESCAPE")
        return self.expression(rank)

    def _type_name(self) -> str:
        token = self.head
        if token.kind is not TokenKind.KEYWORD or token.text not in TYPE_NAMES:
            raise malformed("Expected type name")
        self.take()
        if self.head.kind is TokenKind.LEFT_PAREN:
            self.take()
            if not all(isinstance(size, Number) and size.text.isdigit() for size in self.comma_list()):
                raise malformed("Type parameter must be an unsigned integer literal")
            self.expect(TokenKind.RIGHT_PAREN)
        return token.text

    # --- terms

    def _signed_term(self) -> Expression:
        token = self.head
        if token.kind is TokenKind.OPERATOR and token.text == "not":
            self.take()
            return Not(self.expression(_NOT), at=token.span)
        if token.kind is TokenKind.OPERATOR and token.text in ("+", "-"):
            self.take()
            # A term and no more: a sign binds closer than any infix operator.
            operand = self.expression(_PRODUCT)
            if not isinstance(operand, Number):
                return Sign(token.text, operand, at=token.span)
            if token.text == "-":
                negative = operand.text.startswith("-")
                return replace(operand, text=operand.text[1:] if negative else "-" + operand.text)
            return operand
        return self._path_term()

    def _path_term(self) -> Expression:
        term = self._term()
        steps: list[Member | Element | Wildcard] = []
        while self.head.kind in (TokenKind.DOT, TokenKind.LEFT_BRACKET):
            steps.append(self._dot_step() if self.take().kind is TokenKind.DOT else self._bracket_step())
        return Path(term, tuple(steps), at=term.at) if steps else term

    def _dot_step(self) -> Member | Wildcard:
        token = self.head
        if token.kind in _IDENTIFIERS:
            self.take()
            return Member(token.text, at=token.span)
        if token.kind is TokenKind.STAR:
            self.take()
            return Wildcard(False, at=token.span)
        raise malformed("Invalid path dot component")

    def _bracket_step(self) -> Element | Wildcard:
        step: Element | Wildcard
        token = self.head
        if token.kind is TokenKind.STAR:
            self.take()
            step = Wildcard(True, at=token.span)
        else:
            index = self.expression()
            step = Element(index, at=index.at)
        self.expect(TokenKind.RIGHT_BRACKET)
        return step

    def simple_path(self) -> Expression:
        """A path that is written to: names, and literals in brackets."""
        token = self.head
        if token.kind not in _IDENTIFIERS:
            raise malformed("Expected identifier for simple path")
        self.take()
        root = Identifier(token.text, at=token.span)
        steps: list[Member | Element | Wildcard] = []
        while self.head.kind in (TokenKind.DOT, TokenKind.LEFT_BRACKET):
            step = self._dot_step() if self.take().kind is TokenKind.DOT else self._bracket_step()
            if isinstance(step, Wildcard):
                raise malformed(f"Invalid path {'' if step.in_brackets else 'dot '}component for simple path")
            if isinstance(step, Element) and not isinstance(step.index, Number | String | Null | Boolean):
                raise malformed("Invalid path component for simple path")
            steps.append(step)
        return Path(root, tuple(steps), at=token.span) if steps else root

    def _term(self) -> Expression:
        token = self.take()
        match token.kind:
            case TokenKind.IDENTIFIER | TokenKind.QUOTED_IDENTIFIER:
                return (
                    self._call(token)
                    if self.head.kind is TokenKind.LEFT_PAREN
                    else Identifier(token.text, at=token.span)
                )
            case TokenKind.STRING:
                return String(token.text, at=token.span)
            case TokenKind.NUMBER:
                return Number(token.text, at=token.span)
            case TokenKind.PARAMETER:
                self.parameters += 1
                return Parameter(self.parameters - 1, at=token.span)
            case TokenKind.KEYWORD:
                return self._keyword(token)
            case TokenKind.LEFT_PAREN:
                items = self.comma_list()
                self.expect(TokenKind.RIGHT_PAREN)
                return items[0] if len(items) == 1 else Sequence(items, at=token.span)
            case TokenKind.LEFT_BRACKET:
                return Sequence(self._items_until(TokenKind.RIGHT_BRACKET), at=token.span)
            case TokenKind.LEFT_BAG:
                return Bag(self._items_until(TokenKind.RIGHT_BAG), at=token.span)
            case TokenKind.LEFT_CURLY:
                return self._struct(token)
            case TokenKind.OPERATOR:
                raise malformed("Unexpected operator")
            case _:
                raise malformed("Unexpected term")

    def _keyword(self, token: Token) -> Expression:
        if token.text in ("true", "false"):
            return Boolean(token.text == "true", at=token.span)
        if token.text == "null":
            return Null(at=token.span)
        if token.text == "missing":
            return Missing(at=token.span)
        if token.text in _MARKERS:
            raise malformed("Unexpected term")
        if token.text in FUNCTION_KEYWORDS and self.head.kind is TokenKind.LEFT_PAREN:
            return self._call(token)
        return self.statement(token)

    def statement(self, keyword: Token) -> Expression:
        """What a keyword starts where an expression may stand; the statements' grammar says more."""
        raise malformed("Unexpected keyword")

    def _call(self, token: Token) -> Expression:
        name = token.text.lower()
        self.expect(TokenKind.LEFT_PAREN)
        if self.head.kind is TokenKind.STAR:
            if name != "count":
                raise malformed(f"{token.text}(*) is not allowed")
            self.take()
            self.expect(TokenKind.RIGHT_PAREN)
            return Call(name, (), star=True, at=token.span)
        return Call(name, self._items_until(TokenKind.RIGHT_PAREN), at=token.span)

    def _items_until(self, close: TokenKind) -> tuple[Expression, ...]:
        items = () if self.head.kind is close else self.comma_list()
        self.expect(close)
        return items

    def comma_list(self) -> tuple[Expression, ...]:
        items = [self.expression()]
        while self.head.kind is TokenKind.COMMA:
            self.take()
            items.append(self.expression())
        return tuple(items)

    def _struct(self, token: Token) -> Expression:
        members: list[tuple[Expression, Expression]] = []
        while self.head.kind is not TokenKind.RIGHT_CURLY or members:
            name = self.expression()
            self.expect(TokenKind.COLON)
            members.append((name, self.expression()))
            if self.head.kind is not TokenKind.COMMA:
                break
            self.take()
        self.expect(TokenKind.RIGHT_CURLY)
        return Struct(tuple(members), at=token.span)


def unsupported(expression: Expression) -> ValidationException:
    """DynamoDB's answer to an expression that it can read and does not know what to do with."""
    names = {
        "Is": "IsType",
        "Sequence": "List",
        "Identifier": "Id",
        "Compare": "Eq",
        "In": "InCollection",
        "Actions": "Dml",
    }
    signs = {"=": "Eq", "<>": "Ne", "<": "Lt", "<=": "Lte", ">": "Gt", ">=": "Gte"}
    sums = {"+": "Plus", "-": "Minus", "*": "Times", "/": "Divide", "%": "Modulo", "||": "Concat"}
    name = type(expression).__name__
    if isinstance(expression, Compare):
        name = signs[expression.operator]
    elif isinstance(expression, Arithmetic):
        name = sums[expression.operator]
    elif isinstance(expression, Sign):
        name = "Neg" if expression.operator == "-" else "Pos"
    elif isinstance(expression, String | Number | Boolean | Null):
        name = "Lit"
    return ValidationException(f"Unsupported operation: {names.get(name, name)}")


_ACTION_WORDS = ("insert_into", "set", "remove")
_JOIN_WORDS = ("join", "inner", "left", "right", "full", "outer", "cross")


_CACHED_CHARACTERS_MAX = 2000
"""Long statements are rarely seen twice, and their trees are large."""


def parse(statement: str) -> tuple[Expression, int]:
    """A statement's tree and the number of its parameters. Raises DynamoDB's words for what it cannot read."""
    if len(statement) > _CACHED_CHARACTERS_MAX:
        return _parse(statement)
    return _parse_cached(statement)


def _parse(statement: str) -> tuple[Expression, int]:
    parser = _StatementParser(tokenize(statement))
    tree = parser.expression()
    if not parser.at_end():
        if parser.head.kind is TokenKind.SEMICOLON:
            raise malformed("Unexpected token after semicolon. (Only one query is allowed.)")
        raise malformed("Unexpected token after expression")
    return tree, parser.parameters


_parse_cached = lru_cache(maxsize=512)(_parse)


class _StatementParser(_ExpressionParser):
    def statement(self, keyword: Token) -> Expression:
        match keyword.text:
            case "select":
                return self._select(keyword)
            case "update":
                return self._update(keyword)
            case "delete":
                return self._delete(keyword)
            case "from":
                return self._from_first(keyword)
            case "insert_into":
                return self._insert(keyword)
            case "set" | "remove":
                return Actions(tuple(self._action(keyword)), at=keyword.span)
            case _:
                return super().statement(keyword)

    # --- SELECT

    def _select(self, keyword: Token) -> Expression:
        clauses: list[tuple[str, Span]] = []
        if self.head.is_word("distinct"):
            clauses.append(("DISTINCT", self.take().span))
        else:
            self.accept("all")
        projections = self._projections()
        if not self.accept("from"):
            raise malformed("Expected FROM after SELECT list")
        source = self._source(self.expression())
        where = self.expression() if self.accept("where") else None
        orderings = self._order_by()
        self._later_clauses(clauses)
        return Select(projections, source, where, orderings, tuple(clauses), at=keyword.span)

    def _projections(self) -> tuple[Projection, ...]:
        found = [self._projection()]
        while self.head.kind is TokenKind.COMMA:
            self.take()
            found.append(self._projection())
        if len(found) > 1 and any(item.expression is None for item in found):
            raise malformed(
                "Other expressions may not be present in the select list when '*' is used without dot notation."
            )
        return tuple(found)

    def _projection(self) -> Projection:
        if self.head.kind is TokenKind.STAR:
            return Projection(None, at=self.take().span)
        expression = self.expression()
        return Projection(expression, self._alias(), at=expression.at)

    def _order_by(self) -> tuple[Ordering, ...]:
        if not self.accept("order"):
            return ()
        if not self.accept("by"):
            raise malformed("Expected BY")
        found = [self._ordering()]
        while self.head.kind is TokenKind.COMMA:
            self.take()
            found.append(self._ordering())
        return tuple(found)

    def _ordering(self) -> Ordering:
        expression = self.expression()
        descending = self.accept("desc")
        if not descending:
            self.accept("asc")
        return Ordering(expression, descending, at=expression.at)

    def _later_clauses(self, clauses: list[tuple[str, Span]]) -> None:
        if self.accept("group"):
            self.accept("partial")
            if not self.accept("by"):
                raise malformed("Expected BY")
            clauses.append(("GROUP BY", self.comma_list()[0].at))
        for word in ("having", "limit", "offset"):
            if self.accept(word):
                clauses.append((word.upper(), self.expression().at))

    # --- what the statements share

    def _source(self, expression: Expression) -> Source:
        aliased = self._alias()
        for word in ("at", "by"):
            if self.accept(word):
                self._alias_name(word)
                aliased = True
        joined = self.head.kind is TokenKind.COMMA or any(self.head.is_word(word) for word in _JOIN_WORDS)
        if joined:
            self._skip_joins()
        return Source(expression, aliased, joined, at=expression.at)

    def _alias(self) -> bool:
        if self.accept("as"):
            self._alias_name("as")
            return True
        if self.head.kind in _IDENTIFIERS:
            self.take()
            return True
        return False

    def _alias_name(self, word: str) -> None:
        if self.head.kind not in _IDENTIFIERS:
            raise malformed(f"Expected identifier for {word.upper()}-alias")
        self.take()

    def _skip_joins(self) -> None:
        """Other tables: read, because the clauses after them are still checked, and forgotten."""
        while self.head.kind is TokenKind.COMMA or any(self.head.is_word(word) for word in _JOIN_WORDS):
            needs_condition = self.head.kind is not TokenKind.COMMA
            while any(self.head.is_word(word) for word in _JOIN_WORDS) or self.head.kind is TokenKind.COMMA:
                needs_condition = needs_condition and not self.head.is_word("cross")
                self.take()
            self.expression()
            self._alias()
            if needs_condition:
                if not self.accept("on"):
                    raise malformed("Expected 'ON'")
                self.expression()

    def _where(self) -> Expression | None:
        return self.expression() if self.accept("where") else None

    def _returning(self) -> Returning | None:
        at = self.head.span
        if not self.accept("returning"):
            return None
        variant = self.take().text
        if variant not in ("modified_old", "modified_new", "all_old", "all_new"):
            raise malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
        columns: tuple[Expression, ...] = ()
        if self.head.kind is TokenKind.STAR:
            self.take()
        else:
            columns = self.comma_list()
        return Returning(variant.upper().replace("_", " "), columns, at=at)

    # --- INSERT, UPDATE, DELETE

    def _insert(self, keyword: Token) -> Insert:
        target = self.simple_path()
        source = Source(target, at=target.at)
        if not self.accept("value"):
            return Insert(source, self.expression(), with_value=False, at=keyword.span)
        value = self.expression()
        clauses: list[tuple[str, Span]] = []
        if self.accept("at"):
            clauses.append(("AT", self.expression().at))
        returning = self._returning()
        if returning is not None:
            clauses.append(("RETURNING", returning.at))
        return Insert(source, value, unsupported=tuple(clauses), at=keyword.span)

    def _update(self, keyword: Token) -> Update:
        source = self._written_source()
        actions = self._actions()
        return Update(source, actions, self._where(), self._returning(), at=keyword.span)

    def _delete(self, keyword: Token) -> Delete:
        if not self.accept("from"):
            raise malformed("Expected FROM after DELETE")
        source = self._written_source()
        return Delete(source, self._where(), self._returning(), at=keyword.span)

    def _from_first(self, keyword: Token) -> Update:
        """FROM table WHERE … SET …: PartiQL's other way to write an UPDATE."""
        source = self._source(self.expression())
        where = self._where()
        actions = self._actions()
        return Update(source, actions, where, self._returning(), at=keyword.span)

    def _written_source(self) -> Source:
        target = self.simple_path()
        aliased = self._alias()
        return Source(target, aliased, at=target.at)

    def _actions(self) -> tuple[Assign | Remove | Insert, ...]:
        found: list[Assign | Remove | Insert] = []
        while self.head.kind is TokenKind.KEYWORD and self.head.text in _ACTION_WORDS:
            found.extend(self._action(self.take()))
        if not found:
            raise malformed("Expected data manipulation")
        return tuple(found)

    def _action(self, keyword: Token) -> list[Assign | Remove | Insert]:
        if keyword.text == "remove":
            return [Remove(self.simple_path(), at=keyword.span)]
        if keyword.text == "insert_into":
            return [self._insert(keyword)]
        assignments: list[Assign | Remove | Insert] = [self._assignment()]
        while self.head.kind is TokenKind.COMMA:
            self.take()
            assignments.append(self._assignment())
        return assignments

    def _assignment(self) -> Assign:
        target = self.simple_path()
        if not self.accept("="):
            raise malformed("Expected '='")
        return Assign(target, self.expression(), at=target.at)
