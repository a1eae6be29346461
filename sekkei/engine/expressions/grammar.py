"""The three grammars: conditions (also filters and key conditions), updates, projections."""

from __future__ import annotations

from typing import NamedTuple

from sekkei.engine.expressions.lexer import END, VALUE_PLACEHOLDER
from sekkei.engine.expressions.nodes import And, Condition, Node, Not, Operand, Operation, Or, Path, Value
from sekkei.engine.expressions.reader import Reader, Rule, run

COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
CONDITION_OPERATORS = COMPARATORS | {"BETWEEN", "IN"}


class ConditionReader(Reader):
    """ConditionExpression, FilterExpression and KeyConditionExpression."""

    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})

    def read(self) -> Condition:
        tree: Condition = run(self._or(in_group=False))
        self.expect_end()
        return tree

    def _or(self, in_group: bool) -> Rule:
        parts: list[Condition] = [(yield self._and(in_group))]
        while self.accept_keyword("OR"):
            self.operators += 1
            parts.append((yield self._and(in_group=False)))
        if len(parts) == 1:
            return parts[0]
        # a OR (b OR c) is a OR b OR c: the fewer levels, the less depth for all who walk the tree.
        return Or(tuple(inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))))

    def _and(self, in_group: bool) -> Rule:
        parts: list[Condition] = [(yield self._not(in_group))]
        while self.accept_keyword("AND"):
            self.operators += 1
            parts.append((yield self._not(in_group=False)))
        if len(parts) == 1:
            return parts[0]
        return And(tuple(inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))))

    def _not(self, in_group: bool) -> Rule:
        count = 0
        while self.accept_keyword("NOT"):
            count += 1
        if not count:
            return (yield self._single(in_group))
        self.operators += count
        part: Condition = yield self._single(in_group=False)
        if isinstance(part, Not):
            return Not(part.part, part.negates != bool(count % 2))
        return Not(part, bool(count % 2))

    def _single(self, in_group: bool) -> Rule:
        """A comparison, a function, or a condition in parentheses.

        Right after an opening parenthesis (`in_group`) it may turn out that only an operand was in them, as in
        `(a) = :b`; then the operand is what is given back.
        """
        first: Node = yield self._operand_or_group()
        if isinstance(first, And | Or | Not) or (
            isinstance(first, Operation) and first.operator in CONDITION_OPERATORS
        ):
            return first
        token = self.peek()
        if token.kind in COMPARATORS:
            self.take()
            return self.operation(token.kind, first, (yield self.operand()))
        if self.accept_keyword("BETWEEN"):
            low: Operand = yield self.operand()
            if not self.accept_keyword("AND"):
                self.fail()
            return self.operation("BETWEEN", first, low, (yield self.operand()))
        if self.accept_keyword("IN"):
            self.expect("(")
            options: list[Operand] = [(yield self.operand())]
            while self.accept(","):
                options.append((yield self.operand()))
            self.expect(")")
            return self.operation("IN", first, *options)
        if not isinstance(first, Operation) and not (in_group and token.kind == ")"):
            self.fail()
        return first

    def _operand_or_group(self) -> Rule:
        if self.peek().kind != "(":
            return (yield self.plain_operand())
        opened = self.open_group()
        inner: Node = yield self._or(in_group=True)
        self.close_group(opened)
        return self.longer_path(inner) if isinstance(inner, Path) else inner

    def after_group(self, inner: Operand) -> Operand:
        return self.longer_path(inner) if isinstance(inner, Path) else inner


class Action(NamedTuple):
    """One change of an update; REMOVE has no operand."""

    section: str
    path: Path
    operand: Operand | None


class UpdateReader(Reader):
    """UpdateExpression: sections in any order, each read once; a second one is reported by whoever checks."""

    keywords = frozenset({"SET", "REMOVE", "ADD", "DELETE"})

    def __init__(self, parameter: str, text: str) -> None:
        super().__init__(parameter, text)
        self.repeated_section = ""

    def read(self) -> tuple[Action, ...]:
        actions: list[Action] = []
        seen: set[str] = set()
        while not seen or self.peek().kind != END:
            section = self.keyword()
            if not section:
                self.fail()
            self.take()
            if section in seen and not self.repeated_section:
                self.repeated_section = section
            seen.add(section)
            actions.append(self._action(section))
            while self.accept(","):
                actions.append(self._action(section))
        return tuple(actions)

    def _action(self, section: str) -> Action:
        path = self.path()
        if section == "REMOVE":
            return Action(section, path, None)
        if section == "SET":
            self.expect("=")
            return Action(section, path, run(self._set_value()))
        return Action(section, path, Value(self.expect(VALUE_PLACEHOLDER).text))

    def _set_value(self) -> Rule:
        """An operand, or a sum or difference of two; parentheses may stand around the whole."""
        if self.peek().kind == "(":
            opened = self.open_group()
            first: Operand = yield self._set_value()
            self.close_group(opened)
        else:
            first = yield self.plain_operand()
        sign = self.peek().kind
        if sign not in ("+", "-") or (isinstance(first, Operation) and first.operator in ("+", "-")):
            return first
        self.take()
        return self.operation(sign, first, (yield self.operand()))


class ProjectionReader(Reader):
    """ProjectionExpression: paths with commas between them."""

    def read(self) -> tuple[Path, ...]:
        paths = [self.path()]
        while self.accept(","):
            paths.append(self.path())
        self.expect_end()
        return tuple(paths)
