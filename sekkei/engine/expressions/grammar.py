"""The grammars of conditions (also filters and key conditions), updates and projections: a text in, a tree out.

The rules of a grammar are written as recursive descent, but as generators: a rule that needs another one yields it,
and `run` keeps the waiting rules in a list. So the depth of an expression is bounded by its length alone, and four
thousand parentheses are an ordinary syntax error, not a RecursionError. A parsed text is cached, because programs
send the same few texts again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Hashable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, TypeVar

from sekkei.engine.expressions.nodes import (
    And,
    ConditionTree,
    Node,
    Not,
    Operand,
    Operation,
    Or,
    Path,
    PathElement,
    Value,
)
from sekkei.errors import ValidationException

_WORDS = """
ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC
ASCII ASENSITIVE ASSERTION ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK
BACKUP BASE BATCH BEFORE BEGIN BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET BULK BY BYTE
CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLASS CLOB CLOSE CLUSTER
CLUSTERED CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION COLUMN COLUMNS COMBINE COMMENT COMMIT
COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT CONNECTION CONSISTENCY CONSISTENT CONSTRAINT CONSTRAINTS
CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER CREATE CROSS CUBE CURRENT CURSOR CYCLE
DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED
DEFINITION DELETE DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH DETERMINISTIC DIAGNOSTICS DIRECTORIES
DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT ELSE ELSEIF
EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS EXCLUSIVE
EXEC EXECUTE EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH
FIELDS FILE FILTER FILTERING FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT FORWARD FOUND FREE
FROM FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB GLOBAL GO GOTO GRANT GREATER GROUP GROUPING HANDLER HASH
HAVE HAVING HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN INCLUDING INCLUSIVE
INCREMENT INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT
INSENSITIVE INSERT INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS ITERATE JOIN
KEY KEYS LAG LANGUAGE LARGE LAST LATERAL LEAD LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE LIMIT LIMITED LINES LIST
LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION LOCATOR LOCK LOCKS LOG LOGED LONG LOOP LOWER MAP MATCH MATERIALIZED
MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE MISSING MOD MODE MODIFIES MODIFY MODULE MONTH MULTI
MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT NULL NULLIF NUMBER NUMERIC OBJECT OF
OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR OPTION OR ORDER ORDINALITY OTHER OTHERS OUT OUTER OUTPUT
OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION PARTITIONED PARTITIONS PATH
PERCENT PERCENTILE PERMISSION PERMISSIONS PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE PRESERVE PRIMARY
PRIOR PRIVATE PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY PROVISIONING PUBLIC PUT QUERY QUIT
QUORUM RAISE RANDOM RANGE RANK RAW READ READS REAL REBUILD RECORD RECURSIVE REDUCE REF REFERENCE REFERENCES
REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT REPLACE REQUEST RESET RESIGNAL
RESOURCE RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE REVOKE RIGHT ROLE ROLES ROLLBACK
ROLLUP ROUTINE ROW ROWS RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE SCROLL SEARCH SECOND
SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE SEQUENCE SERIALIZABLE SESSION SET SETS SHARD SHARE
SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME SOURCE SPACE SPACES SPARSE SPECIFIC
SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING START STATE STATIC STATUS STORAGE STORE
STORED STREAM STRING STRUCT STYLE SUB SUBMULTISET SUBPARTITION SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM
SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED TEXT THAN THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO
TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM TRANSLATE TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE TTL
TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED UNNEST UNPROCESSED UNSIGNED UNTIL UPDATE UPPER URL
USAGE USE USER USERS USING UUID VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT VARYING VIEW VIEWS
VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE
"""
RESERVED_WORDS = frozenset(_WORDS.split())


def is_reserved(name: str) -> bool:
    return name.upper() in RESERVED_WORDS


_TEXTS_MAX = 512
_RESOLVED_MAX = 1024
_NAMES_LENGTH_MAX = 8192
"""Names longer than this together are not kept: they would fill memory."""

_NO_NAMES: Mapping[str, str] = {}


class _Template(Hashable, Protocol):
    """An expression whose syntax is known to be good and whose #placeholders are still open."""

    @property
    def placeholders(self) -> tuple[str, ...]: ...


_T = TypeVar("_T", bound=_Template)
_R = TypeVar("_R")


class Cache(Generic[_T, _R]):
    """Templates by text, and what they become by the names their placeholders stand for."""

    def __init__(self, read: Callable[[str, str], _T], resolve: Callable[[_T, Mapping[str, str]], _R]) -> None:
        def resolved(template: _T, names: tuple[str | None, ...]) -> _R:
            return resolve(
                template, {p: name for p, name in zip(template.placeholders, names, strict=True) if name is not None}
            )

        self._read = lru_cache(_TEXTS_MAX)(read)
        self._resolve = resolved
        self._resolved = lru_cache(_RESOLVED_MAX)(resolved)

    def get(self, parameter: str, text: str, names: Mapping[str, str] | None) -> _R:
        template = self._read(parameter, text)
        placeholders = template.placeholders
        if not placeholders:
            return self._resolved(template, ())
        given = names or _NO_NAMES
        used = tuple([given.get(placeholder) for placeholder in placeholders])
        if None in used or sum(map(len, used)) > _NAMES_LENGTH_MAX:  # type: ignore[arg-type]
            return self._resolve(template, used)
        return self._resolved(template, used)


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


class _Token(NamedTuple):
    """`kind` is one of the constants above; a mark's kind is the mark itself."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[_Token]:
    """The tokens of an expression; the last is always END."""
    tokens = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group is not None:
            word = match.group()
            tokens.append(_Token(_KINDS.get(group, word), word, match.start(), match.end()))
    tokens.append(_Token(END, "<EOF>", len(text), len(text)))
    return tokens


def invalid(parameter: str, problem: str) -> ValidationException:
    """The refusal of an expression; `parameter` is its place in the request, such as ConditionExpression."""
    return ValidationException(f"Invalid {parameter}: {problem}")


def _syntax_error(parameter: str, text: str, tokens: list[_Token], at: int) -> ValidationException:
    """Names the token that cannot stand there, with the tokens on both sides of it as they are written."""
    # The end of the text is a token, but it is not shown.
    shown = tokens[max(at - 1, 0) : min(at + 2, len(tokens) - 1)]
    near = text[shown[0].start : shown[-1].end] if shown else ""
    return invalid(parameter, f'Syntax error; token: "{tokens[at].text}", near: "{near}"')


EXPRESSION_BYTES_MAX = 4096
OPERATORS_MAX = 300

_Rule = Generator[Any, Any, Any]


def run(rule: _Rule) -> Any:
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


class _Reader:
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

    def peek(self) -> _Token:
        return self._tokens[self._at]

    def take(self) -> _Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def accept(self, kind: str) -> bool:
        if self._tokens[self._at].kind != kind:
            return False
        self._at += 1
        return True

    def expect(self, kind: str) -> _Token:
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
        raise _syntax_error(self.parameter, self._text, self._tokens, self._at)

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

    def operand(self) -> _Rule:
        """A path, a value, a function, or one of these in parentheses."""
        if self.accept("("):
            opened = self._at - 1
            inner: Operand = yield self.operand()
            self.close_group(opened)
            return self.after_group(inner)
        return (yield self.plain_operand())

    def plain_operand(self) -> _Rule:
        if self.peek().kind == VALUE_PLACEHOLDER:
            return Value(self.take().text)
        if self.peek().kind == NAME and not self.keyword() and self._tokens[self._at + 1].kind == "(":
            return (yield self._function())
        return self.path()

    def _function(self) -> _Rule:
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


_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
CONDITION_OPERATORS = _COMPARATORS | {"BETWEEN", "IN"}


class ConditionReader(_Reader):
    """ConditionExpression, FilterExpression and KeyConditionExpression."""

    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})

    def read(self) -> ConditionTree:
        tree: ConditionTree = run(self._or(in_group=False))
        self.expect_end()
        return tree

    def _or(self, in_group: bool) -> _Rule:
        parts: list[ConditionTree] = [(yield self._and(in_group))]
        while self.accept_keyword("OR"):
            self.operators += 1
            parts.append((yield self._and(in_group=False)))
        if len(parts) == 1:
            return parts[0]
        # a OR (b OR c) is a OR b OR c: the fewer levels, the less depth for all who walk the tree.
        return Or(tuple(inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,))))

    def _and(self, in_group: bool) -> _Rule:
        parts: list[ConditionTree] = [(yield self._not(in_group))]
        while self.accept_keyword("AND"):
            self.operators += 1
            parts.append((yield self._not(in_group=False)))
        if len(parts) == 1:
            return parts[0]
        return And(tuple(inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))))

    def _not(self, in_group: bool) -> _Rule:
        count = 0
        while self.accept_keyword("NOT"):
            count += 1
        if not count:
            return (yield self._single(in_group))
        self.operators += count
        part: ConditionTree = yield self._single(in_group=False)
        if isinstance(part, Not):
            return Not(part.part, part.negates != bool(count % 2))
        return Not(part, bool(count % 2))

    def _single(self, in_group: bool) -> _Rule:
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
        if token.kind in _COMPARATORS:
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

    def _operand_or_group(self) -> _Rule:
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


class UpdateReader(_Reader):
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

    def _set_value(self) -> _Rule:
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


class ProjectionReader(_Reader):
    """ProjectionExpression: paths with commas between them."""

    def read(self) -> tuple[Path, ...]:
        paths = [self.path()]
        while self.accept(","):
            paths.append(self.path())
        self.expect_end()
        return tuple(paths)
