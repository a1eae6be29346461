"""Worlds: seeds a minute, and simulated hours a minute in which nobody does anything; processor time of one core."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from unittest.mock import patch

from bench.markdown import table
from sekkei.worlds import CALM, Outcome, Script
from sekkei.worlds import run as play
from sekkei.worlds.quiet import Quiet

WORLDS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
SEEDS = int(os.environ.get("SEKKEI_BENCH_SEEDS", "10"))
IDLE_HOURS = 50.0
LOOKING_HOURS = 3.0
"""The same with every round looking as often as in real time."""


def measure() -> list[list[str]]:
    return [_row(name, import_module(f"sekkei_systems.{name}.world").WORLD) for name in WORLDS]


def _row(name: str, script: Script) -> list[str]:
    play(script, 0)
    seconds, outcomes = _timed([(script, seed) for seed in range(1, SEEDS + 1)])
    calls = sum(each.calls for each in outcomes) / SEEDS
    patient, looking = idle(script, IDLE_HOURS), idle(script, LOOKING_HOURS, patient=False)
    figures = [f"{60 * SEEDS / seconds:.0f}", f"{calls:.0f}", f"{patient:,.0f}", f"{looking:,.0f}"]
    return [name, *figures, f"{patient / looking:.0f}"]


def idle(script: Script, hours: float, patient: bool = True) -> float:
    """Simulated hours a minute of processor time, beyond what starting takes."""
    with nullcontext() if patient else _as_often_as_in_real_time():
        short, _ = _timed([(_nobody(script, 0.1), 1)])
        long, _ = _timed([(_nobody(script, hours), 1)])
    return 60 * hours / (long - short)


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
    head = ["world", "short seeds a minute", "store calls a seed", "idle hours a minute", "looking as ever", "ratio"]
    print(table(head, measure()))
