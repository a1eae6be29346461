from __future__ import annotations

import ast
from pathlib import Path

import sekkei_systems
from sekkei_systems.lessons.design import design

ASKED_BY_NOBODY = {"of_kind_between"}
"""Of the design as it was handed down: whatever goes over all waitlists has read the table itself anyway."""
SYSTEMS = Path(sekkei_systems.__file__).parent


def names_used(path: Path) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}


def test_every_pattern_that_is_documented_is_used() -> None:
    every = [*SYSTEMS.glob("lessons/**/*.py"), *SYSTEMS.parents[1].glob("migrations/lessons/*/*.py")]
    used = [names_used(path) for path in every if SYSTEMS / "lessons/design" not in path.parents]
    assert design.patterns.keys() - set().union(*used) == ASKED_BY_NOBODY
