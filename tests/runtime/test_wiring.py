"""The parts of a system are built from the types of their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest

from sekkei.runtime.wiring import NotGiven, Wiring


class Database:
    """Stands for the system's database and for the runtime's."""


class Sender(Protocol):
    async def send(self, text: str) -> None: ...


class Mail:
    async def send(self, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Teams:
    db: Database


@dataclass(frozen=True, slots=True)
class Tasks:
    teams: Teams
    sender: Sender
    runtime: Database
    limit: int = 3
    cache: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Service:
    tasks: Tasks
    teams: Teams


@dataclass(frozen=True, slots=True)
class Context:
    db: Database
    runtime: Database


@dataclass(frozen=True, slots=True)
class Chicken:
    egg: Egg


@dataclass(frozen=True, slots=True)
class Egg:
    chicken: Chicken


CONTEXT = Context(Database(), Database())


def test_a_class_is_built_once_from_the_types_of_its_fields() -> None:
    service = Wiring.of(CONTEXT, Mail()).build(Service)
    assert service.tasks.teams is service.teams
    assert isinstance(service.tasks.sender, Mail)
    assert (service.tasks.limit, service.tasks.cache) == (3, {})


def test_of_two_values_of_one_type_the_name_of_the_parameter_decides() -> None:
    service = Wiring.of(CONTEXT, Mail()).build(Service)
    assert service.teams.db is CONTEXT.db
    assert service.tasks.runtime is CONTEXT.runtime


def test_what_was_built_is_found_by_its_type() -> None:
    wiring = Wiring.of(CONTEXT, Mail())
    service = wiring.build(Service)
    assert wiring.find(Tasks) == [service.tasks]


def test_a_class_that_was_built_is_not_built_again() -> None:
    wiring = Wiring.of(CONTEXT, Mail())
    assert wiring.build(Service).teams is wiring.build(Teams)


def test_texts_of_a_context_are_no_arguments() -> None:
    @dataclass
    class Named:
        system: str
        db: Database

    wiring = Wiring.of(Named("tasks", Database()))
    assert wiring.find(str) == []
    assert wiring.find(Any, "system") == []


def test_a_value_may_stand_for_another_type() -> None:
    teams = Teams(Database())
    assert Wiring.of(CONTEXT, Mail()).value(Teams, teams).build(Service).teams is teams


@pytest.mark.parametrize(
    ("wiring", "wanted", "sentence"),
    [
        (Wiring(Database()), Service, r"Tasks\.sender: no Sender is given"),
        (Wiring(a=Database(), b=Database()), Teams, r"Teams\.db: Database could be Database and Database\. Say which"),
        (Wiring(), Chicken, "Chicken needs a Chicken itself, by way of Egg"),
    ],
)
def test_what_cannot_be_built_names_the_class_and_the_parameter(
    wiring: Wiring, wanted: type[object], sentence: str
) -> None:
    with pytest.raises(NotGiven, match=sentence):
        wiring.build(wanted)


def test_two_values_of_one_type_are_refused() -> None:
    with pytest.raises(NotGiven, match="Two values of the type Database"):
        Wiring(Database(), Database())
