"""Knowing a stand-in when one is met. What they are made of is in `samples`, loaded when a pattern is planned."""

from __future__ import annotations

from enum import Enum


class Sample:
    """Marks a stand-in; `label` is what it shows in a plan."""

    label: str


class Planning:
    """True while a pattern is planned; outside of that, nobody looks for stand-ins."""

    depth = 0

    def __enter__(self) -> None:
        Planning.depth += 1

    def __exit__(self, *error: object) -> None:
        Planning.depth -= 1


def label_of(value: object) -> str:
    """What a stand-in shows as."""
    return value.label if isinstance(value, Sample) else str(getattr(value, "_name_", ""))


def is_sample(value: object) -> bool:
    """Is this a stand-in? An enum's stand-in is a member that the enum does not list."""
    return isinstance(value, Sample) or (isinstance(value, Enum) and value._name_.startswith("{"))
