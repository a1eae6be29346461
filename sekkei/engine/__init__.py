"""DynamoDB itself, embedded: one SQLite file, in process, durable, exact errors."""

from sekkei.engine.engine import Engine

__all__ = ["Engine"]
