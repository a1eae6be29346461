"""An API held against its own description by Schemathesis: every route, with data that fits and data that does not.

    answered = await asyncio.to_thread(ask_everything, url, "/lessons/openapi.json", token, Known(path={…}, body={…}))

Raises at the first answer that is a 500 or that the document does not describe; gives back the statuses by route.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.specs.openapi import checks

CHECKS: list[Any] = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
QUICKLY = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
Operation = APIOperation[Any, Any, Any, Any]


@dataclass(frozen=True)
class Known:
    """What chance would hardly find: things that are there, and bodies that are good, not only well-formed."""

    path: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    """By route: "POST /lessons/api/me/bookings"."""
    query: dict[str, dict[str, str]] = field(default_factory=dict)
    """By route, too."""
    last: tuple[str, ...] = ()
    """Routes after which little is left to ask about."""
    examples: int = 4
    """For each route and each kind of data."""
    strict: bool = False
    """What does not fit the description must be refused, not only answered as described."""


def name_of(operation: Operation) -> str:
    return f"{operation.method.upper()} {operation.path}"


def ask_everything(url: str, document: str, token: str | None, known: Known) -> dict[str, set[int]]:
    schema = schemathesis.openapi.from_dict(requests.get(url + document, timeout=10).json())
    schema.config.generation.update(with_security_parameters=False)  # it would make tokens up in place of the real one
    operations = [found.ok() for found in schema.get_all_operations()]
    session = requests.Session()
    session.headers.update({"Authorization": f"Bearer {token}"} if token else {})
    answered: dict[str, set[int]] = {}

    def order(operation: Operation) -> int:
        return known.last.index(name_of(operation)) if name_of(operation) in known.last else -1

    for operation in sorted(operations, key=order):

        def call(case: Case, operation: Operation = operation) -> None:
            reply = case.call_and_validate(base_url=url, session=session, checks=_checks(token, known))
            answered.setdefault(name_of(operation), set()).add(reply.status_code)

        takes = any(list(part) for part in (operation.body, operation.path_parameters, operation.query))
        # Strangers get no further than the door, whatever they bring.
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)[: 2 if token and takes else 1]:
            _attempt(operation, mode, known, call)
    return answered


def _checks(token: str | None, known: Known) -> list[Any]:
    return [*CHECKS, checks.negative_data_rejection] if known.strict and token else CHECKS


def _attempt(operation: Operation, mode: GenerationMode, known: Known, call: Any) -> None:
    turns = itertools.cycle((True, False))  # by turns, and not by chance, so that what is there is always asked for

    @settings(QUICKLY, max_examples=known.examples)
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case) -> None:
        if next(turns):
            case.path_parameters.update({name: known.path[name] for name in case.path_parameters if name in known.path})
            if mode is GenerationMode.POSITIVE:
                case.body = known.body.get(name_of(operation), case.body)
                case.query = known.query.get(name_of(operation), case.query)
        call(case)

    send()
