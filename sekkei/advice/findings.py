"""What a rule has found, and what the design says about it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

_Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[_Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the book; `kept` says how the library keeps it by itself."""

    id: str
    title: str
    severity: _Severity = "info"
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
    severity: _Severity = "info"
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
    text = files("sekkei.advice").joinpath("rules.toml").read_text("utf-8")
    return {id: Rule(id, **said) for id, said in tomllib.loads(text).items()}


def finding(id: str, place: str, text: str, figure: str = "", severity: _Severity | None = None) -> Finding:
    rule = rules()[id]
    return Finding(rule, place, text, figure, severity or rule.severity)


def accepted(found: Finding, why: str) -> Finding:
    return replace(found, accepted=why)


# Findings for people, programs and pull requests.


SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


class Checked(NamedTuple):
    """What was found in one design, and where its sources are."""

    design: str
    found: Sequence[Finding]
    source_of: Callable[[str], tuple[str, int] | None] = lambda place: None
    """The file, as seen from where the command runs, and the line of a pattern or a table."""


def table(design: str, found: Sequence[Finding], *, explained: bool = True) -> str:
    """For the terminal: a finding, its figure, and what to do about it."""
    lines: list[str] = []
    for each in found:
        figure = f" ({each.figure})" if each.figure else ""
        lines.append(f"{each.severity:<7} {each.rule.id:<4} {each.place}: {each.text}{figure}")
        if each.accepted:
            lines.append(f"             accepted: {each.accepted}")
        elif explained and each.severity != "info":
            lines += [f"             {each.rule.fact}", f"             → {each.rule.remedy}"]
    open_ = [each for each in found if not each.accepted]
    counts = {level: sum(each.severity == level for each in open_) for level in _LEVELS}
    said = ", ".join(f"{count} {level}" for level, count in counts.items() if count) or "nothing to mend"
    accepted = len(found) - len(open_)
    return "\n".join([*lines, f"{design}: {said}{f', {accepted} accepted' if accepted else ''}."])


def markdown(design: str, found: Sequence[Finding]) -> str:
    rows = ["| rule | where | what | figure | what to do |", "|---|---|---|---|---|"]
    for each in found:
        what = f"accepted: {each.accepted}" if each.accepted else each.rule.remedy
        cells = (f"{each.rule.id} {each.severity}", f"`{each.place}`", each.text, each.figure, what)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([f"## {design}", "", *(rows if found else ["Nothing found."]), ""])


def as_json(all_checked: Sequence[Checked]) -> str:
    """One design as it is; several as a list."""
    said = [{"design": each.design, "findings": [one.as_dict() for one in each.found]} for each in all_checked]
    return json.dumps(said[0] if len(said) == 1 else said, indent=1, ensure_ascii=False)


def sarif(all_checked: Sequence[Checked]) -> str:
    """For code scanning: a run for each design."""
    known = [
        {"id": rule.id, "shortDescription": {"text": rule.title}, "fullDescription": {"text": rule.fact or rule.title}}
        for rule in rules().values()
    ]
    tool = {"driver": {"name": "sekkei check", "rules": known}}
    runs = [
        {
            "tool": tool,
            "automationDetails": {"id": f"sekkei/{each.design}/"},
            "results": [_result(each, one) for one in each.found],
        }
        for each in all_checked
    ]
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": runs}, indent=1, ensure_ascii=False)


def _result(checked: Checked, each: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": f"{checked.design}/{each.place}"}]}
    source = checked.source_of(each.place)
    if source is not None:
        file, line = source
        place["physicalLocation"] = {"artifactLocation": {"uri": file}, "region": {"startLine": line}}
    figure = f" ({each.figure})" if each.figure else ""
    result: dict[str, Any] = {
        "ruleId": each.rule.id,
        "level": _LEVELS[each.severity],
        "message": {"text": f"{each.text}{figure}. {each.rule.remedy}".strip()},
        "locations": [place],
    }
    if each.accepted:
        result["suppressions"] = [{"kind": "inSource", "justification": each.accepted}]
    return result


def _each(one: Callable[[str, Sequence[Finding]], str]) -> Callable[[Sequence[Checked]], str]:
    return lambda all_checked: "\n".join(one(each.design, each.found) for each in all_checked)


FORMATS: dict[str, Callable[[Sequence[Checked]], str]] = {
    "table": _each(table),
    "json": as_json,
    "md": _each(markdown),
    "sarif": sarif,
}
