"""Worlds: seeds a minute, and simulated hours a minute in which nobody does anything; processor time of one core."""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib import import_module
from unittest.mock import patch

from bench.markdown import table
from sekkei.worlds import CALM, Outcome, Script
from sekkei.worlds import run as play
from sekkei.worlds.idle_skip import Quiet

WORLDS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
SEEDS = int(os.environ.get("SEKKEI_BENCH_SEEDS", "5"))
IDLE_SECONDS = 2.0
"""So much processor time at least, or else so many hours:"""
IDLE_HOURS_MAX = 256.0
LOOKING_HOURS = 0.5
"""The same with every round looking as often as in real time."""
HEAD = ["world", "short seeds a minute", "store calls a seed", "idle hours a minute", "store calls an idle hour"]
HEAD += ["idle, looking as ever", "ratio"]


def measure() -> list[list[str]]:
    return [_row(name, import_module(f"tests.worlds.{name}").WORLD) for name in WORLDS]


def _row(name: str, script: Script) -> list[str]:
    print(f"{name}: {SEEDS} seeds, then idle hours", file=sys.stderr, flush=True)
    play(script, 0)
    seconds, outcomes = _timed([(script, seed) for seed in range(1, SEEDS + 1)])
    calls = sum(each.calls for each in outcomes) / SEEDS
    patient, asked = idle(script)
    with _as_often_as_in_real_time():
        looking, _ = idle(script, LOOKING_HOURS)
    figures = [f"{60 * SEEDS / seconds:.0f}", f"{calls:.0f}", f"{patient:,.0f}", f"{asked:.0f}", f"{looking:,.0f}"]
    return [name, *figures, f"{patient / looking:.0f}"]


def idle(script: Script, hours: float = 1.0) -> tuple[float, float]:
    """Simulated hours a minute of processor time, and store calls an hour, beyond what starting takes."""
    short, (start,) = _timed([(_nobody(script, 0.1), 1)])
    while True:
        long, (end,) = _timed([(_nobody(script, 0.1 + hours), 1)])
        if long - short >= IDLE_SECONDS or hours >= IDLE_HOURS_MAX or hours == LOOKING_HOURS:
            return 60 * hours / (long - short), (end.calls - start.calls) / hours
        hours *= 4


def _as_often_as_in_real_time() -> AbstractContextManager[object]:
    return patch.object(Quiet, "until", lambda self, ear: None)


def _nobody(script: Script, hours: float) -> Script:
    return replace(script, roles={}, operations=[], background=[], rests=(), at_the_end=[], settle_seconds=hours * 3600)


def _timed(worlds: list[tuple[Script, int]]) -> tuple[float, list[Outcome]]:
    began = time.process_time()
    outcomes = [play(script, seed, faults=None if script.operations else CALM) for script, seed in worlds]
    seconds = time.process_time() - began
    broken = [each.broken for each in outcomes if each.broken]
    assert not broken, broken
    return seconds, outcomes


def run() -> None:
    print(table(HEAD, measure()))
