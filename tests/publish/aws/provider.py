"""What Terraform's AWS provider takes, from a package that is made of its schema: cdktf-cdktf-provider-aws.

Read as text, never imported: a class for each resource (`DynamodbTableConfig`) and for each block in it, whose
arguments by keyword are the provider's, those without a default required.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "cdktf_cdktf_provider_aws"
META = {"count", "depends_on", "for_each", "lifecycle", "provider"}
LEAVES = {"builtins.str": str, "builtins.bool": bool, "jsii.Number": (int, float)}
Arguments = dict[str, tuple[bool, str]]
"""By name: is it required, and its annotation."""


def folder() -> Path | None:
    """Where the package is installed; None where it is not."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


@cache
def _classes(kind: str) -> dict[str, Arguments]:
    """By name of the class, of one resource's module."""
    home = folder()
    assert home is not None
    source = home / kind.removeprefix("aws_") / "__init__.py"
    made = ast.parse(source.read_text("utf-8")).body if source.exists() else []
    inside = [(each.name, one) for each in made if isinstance(each, ast.ClassDef) for one in each.body]
    return {
        name: _arguments(one) for name, one in inside if isinstance(one, ast.FunctionDef) and one.name == "__init__"
    }


def _arguments(init: ast.FunctionDef) -> Arguments:
    given = zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
    return {one.arg: (default is None, ast.unparse(one.annotation or ast.Constant(None))) for one, default in given}


def problems(kind: str, content: dict[str, Any]) -> list[str]:
    """A sentence for each argument of a resource that the provider would refuse or miss."""
    name = "".join(word.capitalize() for word in kind.removeprefix("aws_").split("_")) + "Config"
    classes = _classes(kind)
    if name not in classes:
        return [f"there is no resource {kind}"]
    plain = {key: value for key, value in content.items() if key not in META}
    return [f"{kind}: {said}" for said in _within(plain, name, classes)]


def _within(content: dict[str, Any], name: str, classes: dict[str, Arguments]) -> list[str]:
    known = classes[name]
    found = [f"{name} takes no {key}" for key in content if key not in known]
    found += [f"{name} needs {key}" for key, (required, _) in known.items() if required and key not in content]
    for key in content.keys() & known.keys():
        found += [f"{name}.{key}: {said}" for said in _value(content[key], known[key][1], classes)]
    return found


def _value(value: Any, annotation: str, classes: dict[str, Arguments]) -> list[str]:
    if isinstance(value, str) and "${" in value:
        return []  # known when it is applied
    block = next((each for each in classes if f"{each}'" in annotation or f"[{each}," in annotation), None)
    if block is not None:
        return [
            said for one in (value if isinstance(value, list) else [value]) for said in _within(one, block, classes)
        ]
    if "Mapping" in annotation:
        return [] if isinstance(value, dict) else ["is a map"]
    if "Sequence" in annotation:
        return [] if isinstance(value, list) else ["is a list"]
    leaf = next((kind for word, kind in LEAVES.items() if word in annotation), None)
    return [] if leaf is None or isinstance(value, leaf) else [f"{value!r} is not {leaf}"]
