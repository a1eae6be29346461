"""The design as a whole: every index serves a pattern that has a name, and what the tables cost is a choice."""

from __future__ import annotations

import os
import subprocess
import sys

from sekkei_systems.tasks.design import design, table


def test_every_index_serves_a_named_pattern() -> None:
    used = {plan.index for pattern in design.patterns.values() for plan in pattern.plans if plan.index}
    assert set(table.indexes) - used == set()


def test_the_capacity_of_the_original_is_an_option() -> None:
    said = "from sekkei_systems.tasks.design import table, invitation_table as i; print(table.capacity, i.capacity)"

    def run(**more: str) -> str:
        found = subprocess.run(
            [sys.executable, "-c", said], env={**os.environ, **more}, capture_output=True, check=True
        )
        return found.stdout.decode().strip()

    assert run() == "None None"
    provisioned = run(SEKKEI_TASKS_CAPACITY="provisioned")
    assert provisioned == "Capacity(read=5, write=5) Capacity(read=1, write=1)"
