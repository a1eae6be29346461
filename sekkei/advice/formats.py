"""Findings for people, programs and pull requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sekkei.advice.findings import Finding, rules

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


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


def as_json(design: str, found: Sequence[Finding]) -> str:
    return json.dumps({"design": design, "findings": [each.as_dict() for each in found]}, indent=1, ensure_ascii=False)


def sarif(design: str, found: Sequence[Finding]) -> str:
    """For code scanning: one run of one tool."""
    known = [
        {"id": rule.id, "shortDescription": {"text": rule.title}, "fullDescription": {"text": rule.fact or rule.title}}
        for rule in rules().values()
        if not rule.kept
    ]
    driver = {"name": "sekkei check", "rules": known}
    run = {"tool": {"driver": driver}, "results": [_result(design, each) for each in found]}
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def _result(design: str, each: Finding) -> dict[str, Any]:
    place = {"logicalLocations": [{"fullyQualifiedName": f"{design}/{each.place}"}]}
    figure = f" ({each.figure})" if each.figure else ""
    result: dict[str, Any] = {
        "ruleId": each.rule.id,
        "level": _LEVELS[each.severity],
        "message": {"text": f"{each.text}{figure}. {each.rule.remedy}"},
        "locations": [place],
    }
    if each.accepted:
        result["suppressions"] = [{"kind": "inSource", "justification": each.accepted}]
    return result


FORMATS: dict[str, Callable[[str, Sequence[Finding]], str]] = {
    "table": table,
    "json": as_json,
    "md": markdown,
    "sarif": sarif,
}
