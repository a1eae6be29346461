"""Expression text with every name aliased: status, type, date, token and 570 others are reserved words."""

from __future__ import annotations

from typing import Any

from .codecs import AttributeValue


class Expression:
    """Collects the names and values of one request while conditions and updates are written out."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    def name(self, stored: str) -> str:
        alias = self._aliases.get(stored)
        if alias is None:
            alias = self._aliases[stored] = f"#n{len(self._aliases)}"
        return alias

    def value(self, value: AttributeValue) -> str:
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias

    def path(self, path: tuple[str | int, ...]) -> str:
        """`("color", "codes", 0)` as `#n0.#n1[0]`."""
        text = ""
        for step in path:
            text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{self.name(step)}"
        return text

    def into(self, request: dict[str, Any]) -> None:
        """Add what was collected to a request; DynamoDB refuses empty maps."""
        if self._aliases:
            request["ExpressionAttributeNames"] = {alias: name for name, alias in self._aliases.items()}
        if self.values:
            request["ExpressionAttributeValues"] = self.values


class Readable(Expression):
    """The same expression for people: real names, values as they are."""

    def name(self, stored: str) -> str:
        return stored

    def value(self, value: AttributeValue) -> str:
        return show(value)


def show(value: AttributeValue) -> str:
    """A stored value for people: text in quotes, everything else bare."""
    ((kind, content),) = value.items()
    if kind == "S":
        return f'"{content}"'
    if kind in ("N", "B"):
        return str(content)
    if kind in ("BOOL", "NULL"):
        return str(content).lower() if kind == "BOOL" else "null"
    if kind == "M":
        return "{" + ", ".join(f"{name}: {show(one)}" for name, one in content.items()) + "}"
    inner = [show(one) if kind == "L" else f'"{one}"' if kind == "SS" else str(one) for one in content]
    return "[" + ", ".join(inner) + "]"
