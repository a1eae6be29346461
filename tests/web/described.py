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
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.specs.openapi import checks

CHECKS: list[Any] = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


class OfTheDocument(HypothesisProvider):
    """Data made of the description alone. Hypothesis mixes in what stands in the source of every module that happens
    to be loaded: it takes half the time, and another order of tests would ask something else."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS["of-the-document"] = f"{__name__}.{OfTheDocument.__name__}"
QUICKLY = settings(
    backend="of-the-document",
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
PATIENCE_SECONDS = 100
"""A machine that has much to do is slow, not wrong."""
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
    examples: int = 2
    """For each route and each kind of data: by turns with what is there and without. Strangers ask once where the
    document demands somebody."""
    strict: bool = False
    """What does not fit the description must be refused, not only answered as described."""


def name_of(operation: Operation) -> str:
    return f"{operation.method.upper()} {operation.path}"


def ask_everything(url: str, document: str, token: str | None, known: Known) -> dict[str, set[int]]:
    schema = schemathesis.openapi.from_dict(requests.get(url + document, timeout=PATIENCE_SECONDS).json())
    schema.config.generation.update(with_security_parameters=False)  # it would make tokens up in place of the real one
    operations = [found.ok() for found in schema.get_all_operations()]
    session = requests.Session()
    session.trust_env = False  # it would look for proxies before every request
    session.headers.update({"Authorization": f"Bearer {token}"} if token else {})
    answered: dict[str, set[int]] = {}

    def order(operation: Operation) -> int:
        return known.last.index(name_of(operation)) if name_of(operation) in known.last else -1

    for operation in sorted(operations, key=order):

        def call(case: Case, operation: Operation = operation) -> None:
            reply = case.call_and_validate(
                base_url=url, session=session, checks=_checks(token, known), timeout=PATIENCE_SECONDS
            )
            answered.setdefault(name_of(operation), set()).add(reply.status_code)

        takes = any(list(part) for part in (operation.body, operation.path_parameters, operation.query))
        # Strangers get no further than the door, whatever they bring.
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)[: 2 if token and takes else 1]:
            _attempt(
                operation, mode, known, call, 1 if token is None and _demands_somebody(operation) else known.examples
            )
    return answered


def _demands_somebody(operation: Operation) -> bool:
    return bool(operation.definition.raw.get("security") == [{"bearer": []}])


def _checks(token: str | None, known: Known) -> list[Any]:
    return [*CHECKS, checks.negative_data_rejection] if known.strict and token else CHECKS


def _attempt(operation: Operation, mode: GenerationMode, known: Known, call: Any, examples: int) -> None:
    turns = itertools.cycle((True, False))  # by turns, and not by chance, so that what is there is always asked for

    @seed(0)
    @settings(QUICKLY, max_examples=examples)
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case) -> None:
        if next(turns):
            case.path_parameters.update({name: known.path[name] for name in case.path_parameters if name in known.path})
            if mode is GenerationMode.POSITIVE:
                case.body = known.body.get(name_of(operation), case.body)
                case.query = known.query.get(name_of(operation), case.query)
        call(case)

    send()
