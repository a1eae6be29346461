"""Next year's DynamoDB: every operation, input member, enum value and type of value in the newest SDK's model.

What we neither know nor name in docs/compatibility.md, with a reason, fails here. So a new release of botocore says
what there is to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.model import ListShape, MapShape, OperationModel, StructureShape

from sekkei.engine import Engine, operations
from sekkei.engine.items import values
from sekkei.engine.validation import shapes
from sekkei.engine.validation.shapes import List, Map, Shape, String, Structure
from sekkei.errors import UnknownOperationException

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
HEADING = "## Not answered"


def models() -> dict[str, OperationModel]:
    session = botocore.session.get_session()
    services = [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]
    return {name: service.operation_model(name) for service in services for name in service.operation_names}


def named() -> set[str]:
    """What the page names under its heading, in backquotes."""
    section = PAGE.read_text("utf-8").partition(HEADING)[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", section, re.MULTILINE))


def unknown(model: Any, ours: Shape | None, path: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Paths of what the model has and our shape has not."""
    if isinstance(ours, shapes.AttributeValue | shapes.Item):
        # One type wherever it stands, in a map of them or alone, with nothing else below it.
        value = model if isinstance(ours, shapes.AttributeValue) else model.value
        yield from (f"{value.name}.{name}" for name in value.members if name not in values.TYPES)
        return
    if ours is None or model.name in seen:
        return
    seen |= {model.name}
    if isinstance(model, StructureShape) and isinstance(ours, Structure):
        for name, member in model.members.items():
            if name not in ours.members:
                yield f"{path}.{name}"
            else:
                yield from unknown(member, ours.members[name], f"{path}.{name}", seen)
    elif isinstance(model, ListShape) and isinstance(ours, List):
        yield from unknown(model.member, ours.member, path, seen)
    elif isinstance(model, MapShape) and isinstance(ours, Map):
        yield from unknown(model.value, ours.value, path, seen)
    elif getattr(model, "enum", None) and isinstance(ours, String) and ours.values:
        yield from (f"{path}={value}" for value in model.enum if value not in ours.values)


def everything_unknown() -> set[str]:
    found = set()
    for name, model in models().items():
        ours = operations.OPERATIONS.get(name)
        if ours is None:
            found.add(name)
        elif model.input_shape is not None:
            found |= set(unknown(model.input_shape, ours.shape, name))
    return found


def test_what_the_newest_sdk_can_say_is_answered_or_named() -> None:
    missing = everything_unknown() - named()
    assert not missing, f"Answer it, or name it with a reason in {PAGE.name} under {HEADING}: {sorted(missing)}"


def test_nothing_is_named_that_is_answered_or_gone() -> None:
    stale = named() - everything_unknown()
    assert not stale, f"Take it off {PAGE.name}: {sorted(stale)}"


@pytest.mark.parametrize("name", sorted(name for name in named() if "." not in name))
async def test_an_operation_that_is_named_is_unknown(name: str) -> None:
    with Engine(None) as engine, pytest.raises(UnknownOperationException):
        await engine.call(name, {})


@pytest.mark.parametrize("plant", ["PutItem.Item2", "PutItem.ReturnValues=TWICE"])
def test_a_new_member_or_value_is_noticed(plant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = operations.OPERATIONS["PutItem"].shape
    model = models()["PutItem"].input_shape
    if "=" in plant:
        monkeypatch.setattr(model.members["ReturnValues"], "enum", ["NONE", "TWICE"], raising=False)
        monkeypatch.setitem(model.members["ReturnValues"].metadata, "enum", ["NONE", "TWICE"])
    else:
        model.members["Item2"] = model.members["Item"]
    assert plant in set(unknown(model, shape, "PutItem"))


@pytest.mark.parametrize(
    ("operation", "member"), [("PutItem", "Item"), ("PutItem", "ExpressionAttributeValues"), ("GetItem", "Key")]
)
def test_a_new_type_of_value_is_noticed(operation: str, member: str) -> None:
    model: Any = models()[operation].input_shape
    value = model.members[member].value
    value.members["F32"] = value.members["N"]
    assert set(unknown(model, operations.OPERATIONS[operation].shape, operation)) == {"AttributeValue.F32"}
