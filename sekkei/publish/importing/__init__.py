"""Existing tables as a design: from CloudFormation, Terraform, NoSQL Workbench or DescribeTable, with sample items.

    found = tables_in(json.loads(text))          tables as DescribeTable writes them, whatever the source
    print(source("shop", found))                 Python that loads as a design

Entities are proposed from the forms of keys: `USER#17` and `USER#23` are `USER#{id}`. What cannot be told for sure is
said in a comment. Nothing is invented: without items, an entity has the attributes of its keys alone. Files come from
anywhere: whatever they say becomes text in the design, never code.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from types import ModuleType
from typing import Any

from sekkei.design import Design, SekkeiError, Table
from sekkei.publish.importing.cloudformation import from_cloudformation
from sekkei.publish.importing.described import from_description
from sekkei.publish.importing.entities import typed
from sekkei.publish.importing.found import Found
from sekkei.publish.importing.given import Given, NotUnderstood, check_extent
from sekkei.publish.importing.schemas import from_electrodb, from_onetable
from sekkei.publish.importing.source import source
from sekkei.publish.importing.terraform import from_terraform
from sekkei.publish.importing.workbench import from_workbench

__all__ = ["Found", "NotUnderstood", "proven", "source", "tables_in"]

READERS = (from_cloudformation, from_terraform, from_workbench, from_description, from_onetable, from_electrodb)


def tables_in(content: Any) -> list[Found]:
    """Tables of a template, a configuration, a model or a description; raises NotUnderstood."""
    check_extent(content)
    for read in READERS:
        found = read(Given(content))
        if found:
            _check_names(found)
            return found
    raise NotUnderstood(
        "There is no table in it. Give a CloudFormation template, Terraform's JSON or `terraform show -json`, a NoSQL "
        "Workbench model, the answer of `aws dynamodb describe-table`, or a schema of OneTable or ElectroDB as JSON."
    )


def _check_names(found: list[Found]) -> None:
    names = [table.name for table in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NotUnderstood(f"There are two tables with the name {twice}. Give a file with one of them.")


def proven(name: str, found: list[Found]) -> str:
    """The design's source, which loads; what of the sample items it would lose is noted. Raises NotUnderstood."""
    text = source(name, found)
    try:
        design = _loaded(text)
        design.check()
        lost = [_lost(table, made) for table, made in zip(found, design.tables.values(), strict=True)]
    except SekkeiError as error:
        raise NotUnderstood(f"The tables were read, but they cannot be a design: {error}") from error
    for table, names in zip(found, lost, strict=True):
        if names:
            quoted = ", ".join(f"'{name}'" for name in names)
            table.notes.append(f"Items have {quoted} in a form that is lost when they are written again.")
    return source(name, found) if any(lost) else text


def _loaded(text: str) -> Design:
    """Executed in a module of its own. It is our text: what a file says stands in it as literals only."""
    module = ModuleType("sekkei_imported")
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, "<design>", "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    design: Design = module.__dict__["design"]
    return design


def _lost(table: Found, made: Table) -> list[str]:
    """Attributes that an item has otherwise after it was read and written."""
    found: dict[str, None] = {}
    for row in typed(table, made.discriminator):
        item = {name: dict(value) for name, value in row.items()}
        entity = made.entity_of(item)
        again = entity.encode(entity.decode(item))
        names = [name for name in {**item, **again} if _value(item.get(name)) != _value(again.get(name))]
        found |= dict.fromkeys(names)
    return list(found)


def _value(one: Any) -> Any:
    """For comparing: DynamoDB keeps sets in an order of its own, and spells numbers as it likes."""
    if not isinstance(one, dict) or len(one) != 1:
        return one
    ((kind, inside),) = one.items()
    if kind in ("N", "NS"):
        return {Decimal(each) for each in ([inside] if kind == "N" else inside)}
    if kind == "M":
        return {name: _value(each) for name, each in inside.items()}
    return [_value(each) for each in inside] if kind == "L" else set(inside) if kind in ("SS", "BS") else one
