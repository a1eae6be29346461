"""What the grammars share: a place in the tokens, paths, operands, parentheses.

The rules of a grammar are written as recursive descent, but as generators: a rule that needs another one yields it,
and `run` keeps the waiting rules in a list. So the depth of an expression is bounded by its length alone, and four
thousand parentheses are an ordinary syntax error, not a RecursionError.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NoReturn

from sekkei.engine.expressions.lexer import (
    END,
    INDEX,
    NAME,
    NAME_PLACEHOLDER,
    VALUE_PLACEHOLDER,
    Token,
    invalid,
    syntax_error,
    tokens_of,
)
from sekkei.engine.expressions.nodes import Operand, Operation, Path, PathElement, Value
from sekkei.errors import ValidationException

EXPRESSION_BYTES_MAX = 4096
OPERATORS_MAX = 300

Rule = Generator[Any, Any, Any]


def run(rule: Rule) -> Any:
    """Runs a rule and all it yields; gives what it returns."""
    waiting = [rule]
    answer: Any = None
    while waiting:
        try:
            waiting.append(waiting[-1].send(answer))
            answer = None
        except StopIteration as stop:
            waiting.pop()
            answer = stop.value
    return answer


def _too_long(parameter: str, size: int) -> ValidationException:
    # Of an update DynamoDB does not say how long it is.
    length = "" if parameter == "UpdateExpression" else f" expression size: {size}"
    return invalid(parameter, f"Expression size has exceeded the maximum allowed size;{length}")


class Reader:
    """Reads one expression. `keywords` are the words that are no names in its grammar."""

    keywords: frozenset[str] = frozenset()

    def __init__(self, parameter: str, text: str) -> None:
        if not text:
            raise invalid(parameter, "The expression can not be empty;")
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > EXPRESSION_BYTES_MAX:
            raise _too_long(parameter, size)
        self.parameter = parameter
        self.operators = 0
        self.has_redundant_parentheses = False
        self._text = text
        self._tokens = tokens_of(text)
        self._at = 0
        self._group = (-1, -1)

    def check_form(self) -> None:
        """What the grammar allows and DynamoDB still refuses, whatever the words mean."""
        if self.has_redundant_parentheses:
            raise invalid(self.parameter, "The expression has redundant parentheses;")
        if self.operators > OPERATORS_MAX:
            # It stops counting at the first one too many.
            raise invalid(
                self.parameter, f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
            )

    # Tokens

    def peek(self) -> Token:
        return self._tokens[self._at]

    def take(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def accept(self, kind: str) -> bool:
        if self._tokens[self._at].kind != kind:
            return False
        self._at += 1
        return True

    def expect(self, kind: str) -> Token:
        if self._tokens[self._at].kind != kind:
            self.fail()
        return self.take()

    def keyword(self) -> str:
        """The keyword that stands here, in capitals; empty when there is none."""
        token = self._tokens[self._at]
        word = token.text.upper() if token.kind == NAME else ""
        return word if word in self.keywords else ""

    def accept_keyword(self, word: str) -> bool:
        if self.keyword() != word:
            return False
        self._at += 1
        return True

    def fail(self) -> NoReturn:
        raise syntax_error(self.parameter, self._text, self._tokens, self._at)

    def expect_end(self) -> None:
        self.expect(END)

    # Paths and operands

    def path(self) -> Path:
        return self.longer_path(Path((self._path_name(),)))

    def longer_path(self, path: Path) -> Path:
        """The path with what follows it: .name and [index], as often as they come."""
        elements: list[PathElement] = list(path.elements)
        while True:
            if self.accept("."):
                elements.append(self._path_name())
            elif self.accept("["):
                elements.append(int(self.expect(INDEX).text))
                self.expect("]")
            else:
                return Path(tuple(elements))

    def _path_name(self) -> str:
        token = self.peek()
        if token.kind != NAME_PLACEHOLDER and (token.kind != NAME or self.keyword()):
            self.fail()
        return self.take().text

    def operand(self) -> Rule:
        """A path, a value, a function, or one of these in parentheses."""
        if self.accept("("):
            opened = self._at - 1
            inner: Operand = yield self.operand()
            self.close_group(opened)
            return self.after_group(inner)
        return (yield self.plain_operand())

    def plain_operand(self) -> Rule:
        if self.peek().kind == VALUE_PLACEHOLDER:
            return Value(self.take().text)
        if self.peek().kind == NAME and not self.keyword() and self._tokens[self._at + 1].kind == "(":
            return (yield self._function())
        return self.path()

    def _function(self) -> Rule:
        name = self.take().text
        self.expect("(")
        operands: list[Operand] = [(yield self.operand())]
        while self.accept(","):
            operands.append((yield self.operand()))
        self.expect(")")
        return self.operation(name, *operands)

    def after_group(self, inner: Operand) -> Operand:
        """What a closed pair of parentheses stands for; a grammar may let a path go on after it."""
        return inner

    def operation(self, operator: str, *operands: Operand) -> Operation:
        self.operators += 1
        return Operation(operator, operands)

    # Parentheses

    def open_group(self) -> int:
        self.expect("(")
        return self._at - 1

    def close_group(self, opened: int) -> None:
        """Closes a pair of parentheses; two pairs around the same thing are one too many."""
        closed = self._at
        self.expect(")")
        if self._group == (opened + 1, closed - 1):
            self.has_redundant_parentheses = True
        self._group = (opened, closed)
