"""`check(design)`: every rule, and what the design accepts with a reason."""

from __future__ import annotations

from fnmatch import fnmatchcase

from sekkei.advice.facts import Facts
from sekkei.advice.findings import SEVERITIES, Finding, Rule, accepted, rules
from sekkei.advice.rules import CHECKS
from sekkei.advice.scale import Scale
from sekkei.design import Design, Measurements
from sekkei.design.design import Acceptance

_ABOUT_USERS = ("R2", "R6", "R7")
"""Rules that only speak when it is said how many users there are."""


def check(
    design: Design, measurements: Measurements | None = None, *, scale: Scale | None = None, users: int = 0
) -> list[Finding]:
    """Findings, the gravest first; those that the design accepts carry its reason."""
    walls = [wall for wall in scale.walls() if wall.users < users] if scale is not None else []
    facts = Facts(design, measurements, walls, scale.peaks(users) if scale is not None else None)
    found = list(dict.fromkeys(each for rule in CHECKS for each in rule(facts)))
    used: set[Acceptance] = set()
    answered = [_answered(each, design.accepted, used) for each in found]
    asked = [each for each in design.accepted if scale is not None or each.rule not in _ABOUT_USERS]
    answered += [_unused(each) for each in asked if each not in used]
    return sorted(answered, key=lambda each: (bool(each.accepted), SEVERITIES.index(each.severity), _number(each)))


def is_clean(found: list[Finding]) -> bool:
    """Nothing but what the design accepts and what is only worth knowing."""
    return all(each.accepted or each.severity == "info" for each in found)


def _number(found: Finding) -> int:
    return int(found.rule.id[1:] or 0) if found.rule.id[1:].isdigit() else 0


def _answered(found: Finding, acceptances: list[Acceptance], used: set[Acceptance]) -> Finding:
    for acceptance in acceptances:
        if acceptance.rule == found.rule.id and fnmatchcase(found.place, acceptance.place):
            used.add(acceptance)
            return accepted(found, acceptance.why)
    return found


def _unused(acceptance: Acceptance) -> Finding:
    if acceptance.rule not in rules():
        unknown = Rule(acceptance.rule, "A rule that does not exist", "error")
        return Finding(unknown, acceptance.place, "the design accepts it, but there is no such rule", severity="error")
    text = f"the design accepts {acceptance.rule} here, and nothing of the kind was found; take the line away"
    return Finding(rules()[acceptance.rule], acceptance.place, text, severity="warning")
