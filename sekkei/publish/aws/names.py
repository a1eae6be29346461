"""Names that differ by environment, as CloudFormation writes them; and logical names out of any text."""

from __future__ import annotations

import re
from typing import Any

from sekkei.design import Design, Table

ENV, SHARED = "${Env}", "${Shared}"


def logical(*texts: str) -> str:
    """`task-table-v3` is TaskTableV3: letters and digits only, as logical names must be."""
    words = (word for text in texts for word in re.split(r"[^A-Za-z0-9]+", text) if word)
    return "".join(word[0].upper() + word[1:] for word in words)


def table_name(design: Design, table: Table) -> Any:
    """The table's name in the store; a substitution where the stack's parameters are part of it."""
    name = name_with(design, table, ENV, SHARED)
    return {"Fn::Sub": name} if "${" in name else name


def name_with(design: Design, table: Table, env: str, shared: str) -> str:
    """The same with anything in place of the environment, and of what stands in front of shared tables."""
    name = design.table_name(table, env)
    return name if table.shared is None else shared + name.removeprefix(table.shared)


def arn_of(table: Table) -> dict[str, Any]:
    return {"Fn::GetAtt": [logical(table.name, "table"), "Arn"]}
