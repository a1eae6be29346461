"""Every promise of docs/promises.md is tried on a fault that breaks it, put in on purpose.

The programmes of this folder have their own (`…_is_noticed`). For the other promises a fault stands here, beside the
tests that have to fail with it; they are run in a process of their own.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import Phase, settings

from tests.torture.children import Child

ROOT = Path(__file__).parents[2]
PROMISES = ROOT / "docs" / "promises.md"


@dataclass(frozen=True)
class Plant:
    """A fault, and the tests that notice it: a file or a folder, and words of the test's name."""

    name: str
    put_in: Callable[[], None]
    noticed_by: str
    words: str = ""


def verify_overlooks_index_entries() -> None:
    from sekkei.engine.upkeep import verify

    verify._has_entry = lambda *arguments: True


def restores_forget_deletes() -> None:
    from sekkei.engine.history import copies

    undone = copies.undone
    copies.undone = lambda *arguments: (pair for pair in undone(*arguments) if pair[1] is None)


def signatures_do_not_cover_the_path() -> None:
    from sekkei.wire import sigv4

    sigv4._canonical_path = lambda path: "/"


def bodies_are_parsed_in_one_go() -> None:
    from sekkei.wire import bodies

    def whole(body: bytes) -> Generator[None, None, Any]:
        return orjson.loads(body)
        yield  # never reached; it makes this a generator

    bodies.parsed_in_pieces = whole


def expressions_may_be_of_any_length() -> None:
    from sekkei.engine.expressions import grammar

    grammar.EXPRESSION_BYTES_MAX = grammar.OPERATORS_MAX = 10**9


def statements_may_list_any_number() -> None:
    from sekkei.engine.expressions import condition
    from sekkei.engine.partiql import clauses

    clauses.IN_OPERANDS_MAX = condition.IN_OPERANDS_MAX = 10**9


def late_indexes_are_on_time() -> None:
    from sekkei.store.weather.replica import Replica

    learn = Replica.learn
    Replica.learn = lambda self, table, key, item, lateness: learn(self, table, key, item, 0.0)  # type: ignore


def leases_are_not_renewed() -> None:
    from sekkei.runtime.leases import Leases

    async def idle(self: Any, row: Any, token: str) -> bool:
        return True

    Leases._renew = idle  # type: ignore[method-assign]


def nothing_is_tried_again() -> None:
    from sekkei.runtime.dead_letters import DeadLetters

    async def idle(self: Any, kind: Any, id: str) -> bool:
        return True

    DeadLetters._retry = idle  # type: ignore[method-assign]


def rights_are_never_asked_again() -> None:
    from sekkei.web.live import Listener
    from tests.web import test_live

    Listener.must_ask = lambda self, event: False  # type: ignore[method-assign]
    test_live.PATIENCE_SECONDS = 5.0  # whoever waits for the end of the stream waits in vain


def private_networks_are_public() -> None:
    from sekkei.runtime.transports import webhook

    webhook.is_public = lambda address: True


def lambda_reacts_to_nothing() -> None:
    from sekkei.web.on_lambda import Functions

    Functions._reactions = lambda self, event: []  # type: ignore[method-assign]


def any_csrf_token_will_do() -> None:
    from sekkei.web import csrf

    csrf._is_ours = lambda request, given: True


def a_route_has_no_row() -> None:
    from starlette.responses import Response
    from starlette.routing import Route

    from tests.web.example import pages

    routes = pages.routes
    pages.routes = lambda given: [*routes(given), Route("/forgotten", lambda request: Response())]  # type: ignore


PLANTS = [
    Plant("verify", verify_overlooks_index_entries, "tests/engine/upkeep/test_verify.py"),
    Plant("restore", restores_forget_deletes, "tests/engine/operations/test_restore_table_to_point_in_time.py"),
    Plant("signed path", signatures_do_not_cover_the_path, "tests/wire/test_sigv4.py", "500_single_mutations"),
    Plant("bodies", bodies_are_parsed_in_one_go, "tests/wire/test_bodies.py", "pieces"),
    Plant(
        "expressions", expressions_may_be_of_any_length, "tests/engine/expressions/test_syntax.py", "long or operators"
    ),
    Plant("statements", statements_may_list_any_number, "tests/engine/partiql/test_conditions.py", "cannot_be"),
    Plant("weather", late_indexes_are_on_time, "tests/store/weather/test_late_reads.py", "caught"),
    Plant("leases", leases_are_not_renewed, "tests/runtime/test_leases.py", "message"),
    Plant("dead letters", nothing_is_tried_again, "tests/runtime/test_dead_letters.py", "fires_again"),
    Plant("rights", rights_are_never_asked_again, "tests/web/test_live.py", "rights or signed_out"),
    Plant("webhooks", private_networks_are_public, "tests/runtime/test_transports.py", "private or internet"),
    Plant("lambda", lambda_reacts_to_nothing, "tests/web/test_on_lambda.py", "batch"),
    Plant("csrf", any_csrf_token_will_do, "tests/web/test_csrf.py"),
    Plant("routes", a_route_has_no_row, "tests/web/test_authorisation.py", "row or example"),
]


def run_with(pipe: Connection, name: str) -> None:
    """Put the fault in, then run the tests that should notice it, until the first one does."""
    (plant,) = [each for each in PLANTS if each.name == name]
    plant.put_in()
    settings.register_profile("noticed", settings.get_profile("the-same"), phases=[Phase.explicit, Phase.generate])
    settings.load_profile("noticed")  # nobody reads how few words would show it too
    command = ["-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis", str(ROOT / plant.noticed_by)]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main([*command, *(["-k", plant.words] if plant.words else [])])
    pipe.send((int(code), said.getvalue()[-3000:]))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [plant.name for plant in PLANTS])
def test_a_planted_fault_is_noticed(name: str) -> None:
    ((code, said),) = Child(run_with, name).listen(seconds=800)
    assert code == pytest.ExitCode.TESTS_FAILED, said


def rows() -> list[tuple[str, list[str]]]:
    """Each promise with the tests that keep it."""
    page = PROMISES.read_text().partition("\n## ")[0]
    lines = [line.split("|")[1:3] for line in page.splitlines() if line.startswith("| ")]
    return [(promise.strip(), re.findall(r"`(tests/[\w./]+)`", kept)) for promise, kept in lines[1:]]


@pytest.mark.parametrize(("promise", "tests"), rows(), ids=lambda each: each[:40] if isinstance(each, str) else "")
def test_every_promise_has_a_plant(promise: str, tests: list[str]) -> None:
    places = [ROOT / test for test in tests]
    assert places
    assert all(place.exists() for place in places)
    if any(plant.noticed_by.startswith(test) for plant in PLANTS for test in tests):
        return
    texts = [place.read_text() for place in places if place.is_file()]
    assert any(re.search(r"def test_\w+_(is|are)_noticed", text) for text in texts), promise
