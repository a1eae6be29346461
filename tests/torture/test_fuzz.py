"""Fuzzing, guided by coverage: HTTP heads, JSON bodies, expressions, PartiQL, encodings of keys, recovery of the log.

Seen to fail with an error of the wrong type deep inside a grammar, and with an input that never ends
(`test_a_planted_fault_is_noticed`).
"""

from __future__ import annotations

import pytest

from sekkei.engine.expressions import condition
from tests.torture import amounts, fuzz
from tests.torture.fuzz import Fuzzer
from tests.torture.fuzz_targets import TARGETS


def go(name: str, inputs: int, seed: int) -> Fuzzer:
    target = TARGETS[name]
    with target.opened() as run:
        fuzzer = Fuzzer(run, target.corpus, target.words, seed)
        fuzzer.go(inputs)
    return fuzzer


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs(name: str) -> None:
    fuzzer = go(name, inputs=40 if name == "logs" else 250, seed=1)
    assert name == "logs" or len(fuzzer.corpus) > len(TARGETS[name].corpus), "nothing new was reached"


def test_what_is_behind_other_things_is_found() -> None:
    """Byte by byte, which chance alone would not find in ages."""
    source = "def check(data):\n" + "".join(
        f"{' ' * (place + 1)}if data[{place}:{place + 1}] == b'{letter}':\n" for place, letter in enumerate("fuzz")
    )
    space: dict[str, object] = {}
    exec(compile(source + " " * 6 + "raise KeyError('found')\n", "sekkei/planted.py", "exec"), space)
    with pytest.raises(KeyError, match="found"):
        Fuzzer(space["check"], [b"...."], seed=1).go(100_000)  # type: ignore[arg-type]


@pytest.mark.timeout(900)
def test_a_planted_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(*arguments: object) -> str:
        raise TypeError("planted")

    for name in ("wrong_count", "wrong_type"):
        monkeypatch.setattr(condition, name, careless)
    with pytest.raises(TypeError, match="planted"):
        go("expressions", inputs=100_000, seed=1)


def test_an_input_that_never_ends_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "LINES_MAX", 1_000)
    space: dict[str, object] = {}
    exec(compile("def check(data):\n while data:\n  pass\n", "sekkei/planted.py", "exec"), space)
    with pytest.raises(fuzz.Hangs):
        Fuzzer(space["check"], [b"", b"x"])  # type: ignore[arg-type]


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", TARGETS)
def test_many_inputs(name: str) -> None:
    go(name, inputs=amounts.FUZZ_INPUTS // (10 if name == "logs" else 1), seed=amounts.seed(100))
