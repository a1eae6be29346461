"""What AWS takes: names, numbers, sizes. Asked before anything is written, so that no deployment fails half-way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sekkei.design import Design, Table, limits

UNITS_MAX = 40_000
"""Provisioned for one table, and for one index, unless AWS has raised it for the account."""
TABLES_MAX = 2_500
"""Of one account in one region."""
_RESOURCES_MAX, _PARAMETERS_MAX, _OUTPUTS_MAX = 500, 200, 200
_TEMPLATE_BYTES_MAX = 1_000_000
POLICY_CHARACTERS_MAX = 10_240
"""All inline policies of one role, without white space."""
_ARN_CHARACTERS = 90
"""About as long as a table's ARN gets; a reference stands for one."""
_STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
_FUNCTION_NAME_MAX = 64
_LONGEST_FUNCTION = "-stream"


class CannotPublish(ValueError):
    """AWS would refuse it; the text says what and what to do."""


def check_target(given: str, known: Sequence[str]) -> None:
    if given in known:
        return
    close = get_close_matches(given, known, 1)
    meant = f" Did you mean {close[0]}?" if close else ""
    raise CannotPublish(f"There is no target {given}.{meant} There are: {', '.join(known)}.")


def check_stack_name(name: str, functions: bool) -> None:
    if _STACK_NAME.fullmatch(name) is None:
        meant = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
        plain = meant if _STACK_NAME.fullmatch(meant) else "my-stack"
        raise CannotPublish(
            f"{name[:60]!r} cannot name a stack: letters, digits and -, beginning with a letter, at most 128. "
            f"Try --stack {plain[:50]}."
        )
    if functions and len(name) + len(_LONGEST_FUNCTION) > _FUNCTION_NAME_MAX:
        raise CannotPublish(
            f"The stack {name[:60]!r} would name a function {name[:20]}…{_LONGEST_FUNCTION}, and Lambda takes "
            f"{_FUNCTION_NAME_MAX} characters. Give it a name of at most {_FUNCTION_NAME_MAX - len(_LONGEST_FUNCTION)}."
        )


def check_designs(designs: Iterable[Design], env: str) -> None:
    """Every table's name in this environment; no name twice."""
    seen: dict[str, str] = {}
    for design in designs:
        for table in design.tables.values():
            name = design.table_name(table, env)
            limits.check_name("table", name)
            _check_units(name, table)
            if name in seen:
                raise CannotPublish(f"{seen[name]} and {design.name} both have a table {name}. Rename one.")
            seen[name] = design.name
    if len(seen) > TABLES_MAX:
        raise CannotPublish(f"There are {len(seen)} tables; an account has at most {TABLES_MAX} in a region.")


def _check_units(name: str, table: Table) -> None:
    for place, units in [(name, table.capacity), *((each, index.capacity) for each, index in table.indexes.items())]:
        if units is not None and max(units.read, units.write) > UNITS_MAX:
            raise CannotPublish(
                f"{place} would have {units.read:,} read and {units.write:,} write units; an account has "
                f"{UNITS_MAX:,} of each for a table. Leave it on demand."
            )


def check_template(content: Mapping[str, Any], text: str) -> None:
    """A template of CloudFormation or SAM."""
    for part, most in (("Resources", _RESOURCES_MAX), ("Parameters", _PARAMETERS_MAX), ("Outputs", _OUTPUTS_MAX)):
        count = len(content.get(part, ()))
        if count > most:
            raise CannotPublish(
                f"The stack has {count} {part.lower()}; CloudFormation takes {most}. Make several designs of it, or "
                "publish it --to terraform."
            )
    size = len(text.encode())
    if size > _TEMPLATE_BYTES_MAX:
        raise CannotPublish(
            f"The template has {size:,} bytes; CloudFormation takes {_TEMPLATE_BYTES_MAX:,}. Make several designs of "
            "it, or publish it --to terraform."
        )
    for name, resource in content["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            _check_policy(name, resource["Properties"]["Policies"])


def policy_characters(policies: Sequence[Mapping[str, Any]]) -> int:
    """As IAM counts them for a role, about."""
    return sum(len(json.dumps(_resolved(policy["PolicyDocument"]), separators=(",", ":"))) for policy in policies)


def _check_policy(role: str, policies: Sequence[Mapping[str, Any]]) -> None:
    size = policy_characters(policies)
    if size > POLICY_CHARACTERS_MAX:
        raise CannotPublish(
            f"The permissions of {role} have about {size:,} characters; IAM takes {POLICY_CHARACTERS_MAX:,} in a role. "
            "Make several designs of it."
        )


def _resolved(content: Any) -> Any:
    """References as long as what they stand for."""
    if isinstance(content, list):
        return [_resolved(part) for part in content]
    if not isinstance(content, Mapping):
        return content
    if "Fn::Sub" in content:
        return "x" * _ARN_CHARACTERS + str(content["Fn::Sub"]).partition("}")[2]
    if "Fn::GetAtt" in content or "Ref" in content:
        return "x" * _ARN_CHARACTERS
    return {name: _resolved(part) for name, part in content.items()}
