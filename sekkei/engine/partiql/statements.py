"""PartiQL's statements: SELECT, INSERT, UPDATE, DELETE and EXISTS(SELECT …)."""

from __future__ import annotations

from functools import lru_cache

from sekkei.engine.partiql.expressions import ExpressionParser
from sekkei.engine.partiql.nodes import (
    Actions,
    Assign,
    Delete,
    Expression,
    Insert,
    Ordering,
    Projection,
    Remove,
    Returning,
    Select,
    Source,
    Update,
)
from sekkei.engine.partiql.tokens import Span, Token, TokenKind, malformed, tokenize

_ACTION_WORDS = ("insert_into", "set", "remove")
_JOIN_WORDS = ("join", "inner", "left", "right", "full", "outer", "cross")
_IDENTIFIERS = (TokenKind.IDENTIFIER, TokenKind.QUOTED_IDENTIFIER)


_CACHED_CHARACTERS_MAX = 2000
"""Long statements are rarely seen twice, and their trees are large."""


def parse(statement: str) -> tuple[Expression, int]:
    """A statement's tree and the number of its parameters. Raises DynamoDB's words for what it cannot read."""
    if len(statement) > _CACHED_CHARACTERS_MAX:
        return _parse(statement)
    return _parse_cached(statement)


def _parse(statement: str) -> tuple[Expression, int]:
    parser = StatementParser(tokenize(statement))
    tree = parser.expression()
    if not parser.at_end():
        if parser.head.kind is TokenKind.SEMICOLON:
            raise malformed("Unexpected token after semicolon. (Only one query is allowed.)")
        raise malformed("Unexpected token after expression")
    return tree, parser.parameters


_parse_cached = lru_cache(maxsize=512)(_parse)


class StatementParser(ExpressionParser):
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
