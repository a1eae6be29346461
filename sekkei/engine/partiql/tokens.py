"""A statement's text as tokens, in one pass over any text.

DynamoDB's parser is PartiQL's own, so it knows many more keywords than it can use: an attribute that is named like one
of them needs double quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sekkei.errors import ValidationException

_KEYWORD_LIST = """
absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bigint bit
bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded case cast catalog char char_length
character character_length check clob close coalesce collate collation column commit conflict connect connection
constraint constraints continue convert corresponding count create cross current current_date current_time
current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable
deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop else end escape except
exception exec execute exists external extract false fetch first float for foreign found from full get global go goto
grant group having identity immediate in index indicator initially inner input insensitive insert int int2 int4 int8
integer integer2 integer4 integer8 intersect interval into is isolation join key language last left let level like
limit list local lower match max min missing modified module names national natural nchar new next no not nothing null
nullif numeric octet_length of offset old on only open option or order outer output overlaps pad partial pivot
position precision prepare preserve primary prior privileges procedure public read real references relative remove
restrict returning revoke right rollback rows schema scroll section select session session_user set sexp size smallint
some space sql sqlcode sqlerror sqlstate string struct substring sum symbol system_user table temporary then time
timestamp to transaction translate translation trim true tuple union unique unknown unpivot update upper usage user
using value values varchar varying view when whenever where with work write zone
"""
_KEYWORDS = frozenset(_KEYWORD_LIST.split())

_FUNCTION_LIST = """
avg bag bit_length char_length character_length coalesce count exists list lower max min nullif octet_length sexp
size sum upper
"""
FUNCTION_KEYWORDS = frozenset(_FUNCTION_LIST.split())
"""Keywords that name a function where a parenthesis follows."""

_OPERATOR_WORDS = frozenset({"and", "or", "not", "is", "in", "between", "like", "union", "except", "intersect"})

_JOINED: dict[tuple[str, str], str] = {
    ("not", "in"): "not_in",
    ("is", "not"): "is_not",
    ("not", "between"): "not_between",
    ("not", "like"): "not_like",
    ("insert", "into"): "insert_into",
    ("character", "varying"): "character_varying",
    ("double", "precision"): "double_precision",
    ("modified", "old"): "modified_old",
    ("modified", "new"): "modified_new",
    ("all", "old"): "all_old",
    ("all", "new"): "all_new",
}
"""Two words that the grammar reads as one."""

_TYPE_ALIASES = {
    "varchar": "character_varying",
    "char": "character",
    "dec": "decimal",
    "int": "integer",
    "int2": "smallint",
    "integer2": "smallint",
    "int4": "integer4",
    "int8": "integer8",
    "bigint": "integer8",
    "bool": "boolean",
}

ATTRIBUTE_TYPES: dict[str, tuple[str, ...]] = {
    "null": ("NULL",),
    "boolean": ("BOOL",),
    "smallint": ("N",),
    "integer": ("N",),
    "integer4": ("N",),
    "integer8": ("N",),
    "float": ("N",),
    "real": ("N",),
    "double_precision": ("N",),
    "decimal": ("N",),
    "numeric": ("N",),
    "character": ("S",),
    "character_varying": ("S",),
    "string": ("S",),
    "blob": ("B",),
    "struct": ("M",),
    "tuple": ("M",),
    "list": ("L",),
    "bag": ("SS", "NS", "BS"),
}
"""What `IS <type>` asks of an attribute."""

TYPE_NAMES = frozenset({*ATTRIBUTE_TYPES, "missing", "timestamp", "symbol", "clob", "sexp", "date", "time"})


_EXPONENT_LIMIT = 2**31


class TokenKind(Enum):
    """What a token is; the value is the name DynamoDB's messages give it."""

    IDENTIFIER = "IDENTIFIER"
    QUOTED_IDENTIFIER = "QUOTED_IDENTIFIER"
    KEYWORD = "KEYWORD"
    OPERATOR = "OPERATOR"
    STRING = "LITERAL"
    NUMBER = "NUMBER"
    PARAMETER = "QUESTION_MARK"
    STAR = "STAR"
    DOT = "DOT"
    COMMA = "COMMA"
    COLON = "COLON"
    SEMICOLON = "SEMICOLON"
    LEFT_PAREN = "LEFT_PAREN"
    RIGHT_PAREN = "RIGHT_PAREN"
    LEFT_BRACKET = "LEFT_BRACKET"
    RIGHT_BRACKET = "RIGHT_BRACKET"
    LEFT_CURLY = "LEFT_CURLY"
    RIGHT_CURLY = "RIGHT_CURLY"
    LEFT_BAG = "LEFT_DOUBLE_ANGLE_BRACKET"
    RIGHT_BAG = "RIGHT_DOUBLE_ANGLE_BRACKET"
    END = "EOF"


class Span(NamedTuple):
    """Where a token stands in the statement, as messages show it: line, column and length, in characters from 1."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


NOWHERE = Span(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Token:
    kind: TokenKind
    text: str
    """An identifier or string without its quotes, a keyword in lower case, an operator in its usual spelling."""
    span: Span

    def is_word(self, word: str) -> bool:
        return self.text == word and self.kind in (TokenKind.KEYWORD, TokenKind.OPERATOR)


_PUNCTUATION = {
    "(": TokenKind.LEFT_PAREN,
    ")": TokenKind.RIGHT_PAREN,
    "[": TokenKind.LEFT_BRACKET,
    "]": TokenKind.RIGHT_BRACKET,
    "{": TokenKind.LEFT_CURLY,
    "}": TokenKind.RIGHT_CURLY,
    "<<": TokenKind.LEFT_BAG,
    ">>": TokenKind.RIGHT_BAG,
    ",": TokenKind.COMMA,
    ":": TokenKind.COLON,
    ";": TokenKind.SEMICOLON,
    "?": TokenKind.PARAMETER,
    "*": TokenKind.STAR,
    ".": TokenKind.DOT,
}

# Possessive throughout: text that does not match fails at once, without a second look at what was read.
_TOKEN = re.compile(
    r"""
    (?P<space>  [ \t\v\f\r\n]++ | --[^\r\n]*+ | /\*(?:[^*]|\*(?!/))*+\*/ )
  | (?P<number> (?:[0-9]++(?:\.[0-9]*+)?+ | \.[0-9]++) (?P<exponent>[eE][+-]?+[0-9]*+)?+ )
  | (?P<word>   [A-Za-z_$][A-Za-z0-9_$]*+ )
  | (?P<string> '(?:[^']|'')*+' )
  | (?P<quoted> "(?:[^"]|"")*+" )
  | (?P<sign>   <<|>>|<=|>=|<>|!=|\|\||[()\[\]{},:;?*.=<>+\-%@]|/(?!\*) )
    """,
    re.VERBOSE,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")


def malformed(detail: str) -> ValidationException:
    """DynamoDB's answer to a statement that it cannot read."""
    return ValidationException("Statement wasn't well formed, can't be processed: " + detail)


def tokenize(statement: str) -> list[Token]:
    """All tokens of a statement, the last of kind END. What is no token at all is answered without a detail."""
    tokens: list[Token] = []
    at, line, line_start, end = 0, 1, 0, len(statement)
    while at < end:
        match = _TOKEN.match(statement, at)
        if match is None or not _number_fits(match):
            raise malformed("")
        span = Span(line, at - line_start + 1, match.end() - at)
        if match.lastgroup != "space":
            _append(tokens, _token(match, span))
        # Strings may hold line ends as well as white space does.
        for newline in _NEWLINE.finditer(statement, at, match.end()):
            line += 1
            line_start = newline.end()
        at = match.end()
    tokens.append(Token(TokenKind.END, "", Span(line, at - line_start + 1, 0)))
    return tokens


def _number_fits(match: re.Match[str]) -> bool:
    """Whether a number's exponent and scale fit 32 bits, which is all that DynamoDB's parser reads."""
    exponent = match["exponent"]
    if exponent is None:
        return True
    written = exponent[1:].lstrip("+-")
    digits = written.lstrip("0")
    if not written or len(digits) > 10:
        return False
    power = int(digits or "0") * (-1 if exponent[1] == "-" else 1)
    fraction = match["number"].partition(".")[2].partition(exponent[0])[0]
    return -_EXPONENT_LIMIT < power < _EXPONENT_LIMIT and -_EXPONENT_LIMIT <= len(fraction) - power < _EXPONENT_LIMIT


def _token(match: re.Match[str], span: Span) -> Token:
    text = match[0]
    if match["word"] is not None:
        return _word(text, span)
    if match["number"] is not None:
        return Token(TokenKind.NUMBER, text, span)
    if match["string"] is not None:
        return Token(TokenKind.STRING, text[1:-1].replace("''", "'"), span)
    if match["quoted"] is not None:
        return Token(TokenKind.QUOTED_IDENTIFIER, text[1:-1].replace('""', '"'), span)
    if text in _PUNCTUATION:
        return Token(_PUNCTUATION[text], text, span)
    return Token(TokenKind.OPERATOR, "<>" if text == "!=" else text, span)


def _word(text: str, span: Span) -> Token:
    lower = text.lower()
    if lower in _OPERATOR_WORDS:
        return Token(TokenKind.OPERATOR, lower, span)
    if lower in _KEYWORDS:
        return Token(TokenKind.KEYWORD, _TYPE_ALIASES.get(lower, lower), span)
    return Token(TokenKind.IDENTIFIER, text, span)


def _append(tokens: list[Token], token: Token) -> None:
    """Add a token, or let it join the word before it: `IS` `NOT` is one operator."""
    if tokens and token.kind in (TokenKind.KEYWORD, TokenKind.OPERATOR):
        before = tokens[-1]
        joined = (
            _JOINED.get((before.text, token.text)) if before.kind in (TokenKind.KEYWORD, TokenKind.OPERATOR) else None
        )
        if joined is not None:
            kind = TokenKind.OPERATOR if TokenKind.OPERATOR in (before.kind, token.kind) else TokenKind.KEYWORD
            tokens[-1] = Token(kind, joined, before.span)
            return
    tokens.append(token)
