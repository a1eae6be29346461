"""The words of PartiQL: which of them are keywords, and which stand together as one.

DynamoDB's parser is PartiQL's own, so it knows many more words than it can do anything with: an attribute that is named
like one of them needs double quotes.
"""

from __future__ import annotations

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
KEYWORDS = frozenset(_KEYWORD_LIST.split())

_FUNCTION_LIST = """
avg bag bit_length char_length character_length coalesce count exists list lower max min nullif octet_length sexp
size sum upper
"""
FUNCTION_KEYWORDS = frozenset(_FUNCTION_LIST.split())
"""Keywords that name a function where a parenthesis follows."""

OPERATOR_WORDS = frozenset({"and", "or", "not", "is", "in", "between", "like", "union", "except", "intersect"})

JOINED: dict[tuple[str, str], str] = {
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

TYPE_ALIASES = {
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
