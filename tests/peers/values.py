"""Random attribute values from small pools: small, so that conditions meet values that they match."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

from tests.peers.dice import Dice

Value = dict[str, Any]
Item = dict[str, Value]

STRINGS = ("", "a", "ab", "b", "abc", "Z", "日本", "a b", "0", "é")
NUMBERS = (
    *("0", "1", "2", "3", "-1", "10", "1.5", "-2.50", "007", "1e2", "-0", "0.1", "100", "1E-130"),
    *("99999999999999999999999999999999999999", "9.9999999999999999999999999999999999999E+125", "-1e125"),
)
BAD_NUMBERS = ("", "abc", "1e126", "1e-131", "1.23456789012345678901234567890123456789", "0x10", "1 ", "--1", "NaN")
BYTES = tuple(base64.b64encode(raw).decode() for raw in (b"", b"a", b"ab", b"\x00", b"\xff\xfe", b"abc"))
ATTRIBUTES = ("a", "b", "c", "d", "m", "l")
"""Names of attributes that are no keys of the table. `a` and `b` are keys of its indexes."""

SCALARS = ("S", "N", "B", "BOOL", "NULL")
SETS = ("SS", "NS", "BS")
TYPES = (*SCALARS, *SETS, "M", "L")


def random_value(random: Dice, depth: int = 2, kind: str | None = None) -> Value:
    kind = kind or random.choice(TYPES if depth else (*SCALARS, *SETS))
    match kind:
        case "S":
            return {"S": random.choice(STRINGS)}
        case "N":
            return {"N": random.choice(NUMBERS)}
        case "B":
            return {"B": random.choice(BYTES)}
        case "BOOL":
            return {"BOOL": random.random() < 0.5}
        case "NULL":
            return {"NULL": True}
        case "SS":
            return {"SS": random.sample(STRINGS, random.randint(1, 3))}
        case "NS":
            return {"NS": random.sample(("0", "1", "2.5", "-3", "1e3"), random.randint(1, 3))}
        case "BS":
            return {"BS": random.sample(BYTES, random.randint(1, 3))}
        case "M":
            names = random.sample(("x", "y", "z"), random.randint(0, 3))
            return {"M": {name: random_value(random, depth - 1) for name in names}}
    return {"L": [random_value(random, depth - 1) for _ in range(random.randint(0, 3))]}


def order(value: Value) -> Any:
    """Where a string, a number or a binary value stands among its kind."""
    ((kind, content),) = value.items()
    if kind == "N":
        return Decimal(content)
    return content.encode() if kind == "S" else base64.b64decode(content)


def bad_value(random: Dice) -> Value:
    """A value that DynamoDB refuses, whatever it is for."""
    return random.choice(
        (
            {"N": random.choice(BAD_NUMBERS)},
            {"SS": []},
            {"NS": ["1", "1.0"]},
            {"SS": ["a", "a"]},
            {"NULL": False},
            {"S": "a", "N": "1"},
            {},
            {"L": [{"N": "abc"}]},
            {"M": {"x": {"SS": []}}},
            {"NS": ["x"]},
        )
    )
