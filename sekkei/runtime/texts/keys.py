"""Written by `make texts` out of ja.toml; the keys that `say` and `t` take."""

from __future__ import annotations

from typing import Literal

Key = Literal[
    "alarm.dead-letters",
    "alarm.job",
    "alarm.outbox",
    "alarm.schedule",
    "alarm.shard",
    "alarm.worker",
    "refusal.changed",
    "refusal.gone",
    "refusal.invalid",
    "refusal.key-in-use",
    "refusal.key-reused",
    "refusal.nobody-reads",
    "refusal.not-allowed",
    "refusal.not-there",
    "refusal.proof-needed",
    "refusal.refusal",
    "refusal.sign-in-needed",
    "refusal.too-many",
    "wait.minutes",
]
