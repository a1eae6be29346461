"""Fakes wait in virtual time."""

from __future__ import annotations

from tests.calls import asks_only_what_is_noted as asks_only_what_is_noted
from tests.virtual_time import pytest_asyncio_loop_factories as pytest_asyncio_loop_factories
