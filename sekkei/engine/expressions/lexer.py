"""Expressions as tokens, and the error that says where reading stopped."""

from __future__ import annotations

import re
from typing import NamedTuple

from sekkei.errors import ValidationException

NAME = "name"
NAME_PLACEHOLDER = "#name"
VALUE_PLACEHOLDER = ":value"
INDEX = "index"
STRAY = "stray"
"""A character that belongs to no token."""
END = "end"

_TOKEN = re.compile(
    r"""[ \t\r\n]+
    | (?P<name>[A-Za-z][A-Za-z0-9_]*)
    | (?P<name_placeholder>\#[A-Za-z0-9_]+)
    | (?P<value_placeholder>:[A-Za-z0-9_]+)
    | (?P<index>[0-9]+)
    | (?P<mark><>|<=|>=|[=<>()\[\],.+-])
    | (?P<stray>.)""",
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "name": NAME,
    "name_placeholder": NAME_PLACEHOLDER,
    "value_placeholder": VALUE_PLACEHOLDER,
    "index": INDEX,
    "stray": STRAY,
}


class Token(NamedTuple):
    """`kind` is one of the constants above; a mark's kind is the mark itself."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """The tokens of an expression; the last is always END."""
    tokens = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group is not None:
            word = match.group()
            tokens.append(Token(_KINDS.get(group, word), word, match.start(), match.end()))
    tokens.append(Token(END, "<EOF>", len(text), len(text)))
    return tokens


def invalid(parameter: str, problem: str) -> ValidationException:
    """The refusal of an expression; `parameter` is its place in the request, such as ConditionExpression."""
    return ValidationException(f"Invalid {parameter}: {problem}")


def syntax_error(parameter: str, text: str, tokens: list[Token], at: int) -> ValidationException:
    """Names the token that cannot stand there, with the tokens on both sides of it as they are written."""
    # The end of the text is a token, but it is not shown.
    shown = tokens[max(at - 1, 0) : min(at + 2, len(tokens) - 1)]
    near = text[shown[0].start : shown[-1].end] if shown else ""
    return invalid(parameter, f'Syntax error; token: "{tokens[at].text}", near: "{near}"')
