"""Log lines."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from sekkei import logs


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in logs.LOGGERS]
    before = [(logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, kept in zip(loggers, before, strict=True):
        logger.handlers[:], logger.level, logger.propagate = kept


def written(style: logs.Format, level: str = "info") -> list[str]:
    stream = io.StringIO()
    logs.configure(style, level, stream)
    logger = logging.getLogger("sekkei.test")
    logger.debug("detail")
    logger.info("started", extra={"url": "http://x", "名前": "設計"})
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logger.exception("failed")
    return stream.getvalue().splitlines()


def test_json() -> None:
    first, second = (json.loads(line) for line in written("json"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.pop("time"))
    assert first == {
        "level": "info",
        "logger": "sekkei.test",
        "message": "started",
        "url": "http://x",
        "名前": "設計",
    }
    assert "ValueError: two\nlines" in second["exception"]


def test_text() -> None:
    lines = written("text")
    assert lines[0].endswith("Z info started url=http://x 名前=設計")
    assert "ValueError: two" in lines[-2]


def test_level() -> None:
    assert len(written("json", "debug")) == 3


def test_systems_are_heard_too() -> None:
    stream = io.StringIO()
    logs.configure("json", "warning", stream)
    logging.getLogger("sekkei_systems.q.jobs").warning("a push was lost", extra={"user": "hana"})
    assert json.loads(stream.getvalue())["user"] == "hana"
