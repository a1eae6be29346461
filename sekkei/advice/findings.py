"""What a rule has found, and what the design says about it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the book; `kept` says how the library keeps it by itself."""

    id: str
    title: str
    severity: Severity = "info"
    fact: str = ""
    remedy: str = ""
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    rule: Rule
    place: str
    """What it speaks of: a table, `table.index`, an entity or a pattern."""
    text: str
    figure: str = ""
    severity: Severity = "info"
    accepted: str = ""
    """Why the design leaves it so."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule.id,
            "severity": self.severity,
            "place": self.place,
            "finding": self.text,
            "figure": self.figure,
            "fact": self.rule.fact,
            "remedy": self.rule.remedy,
            "accepted": self.accepted,
        }


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id."""
    text = files("sekkei.advice").joinpath("rules/rules.toml").read_text("utf-8")
    return {id: Rule(id, **said) for id, said in tomllib.loads(text).items()}


def finding(id: str, place: str, text: str, figure: str = "", severity: Severity | None = None) -> Finding:
    rule = rules()[id]
    return Finding(rule, place, text, figure, severity or rule.severity)


def accepted(found: Finding, why: str) -> Finding:
    return replace(found, accepted=why)
