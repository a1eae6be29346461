"""A consumer killed at any point goes on from its checkpoint: every record at least once, in order per item."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from tests.engine.conftest import Tables
from tests.engine.operations.stream_reading import iterator, stream_arn

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


class Killed(BaseException):
    """The consumer's process has gone."""


class Consumer:
    """What survives a kill is what it has written: the records it has acted on, and its checkpoint."""

    def __init__(self, engine: Engine, arn: str) -> None:
        self._engine = engine
        self._arn = arn
        self._steps_left = 0
        self.seen: list[tuple[str, int]] = []
        self.checkpoint: str | None = None

    async def run(self, steps: int, page: int) -> bool:
        """Consume up to the end of the stream; False when killed before."""
        self._steps_left = steps
        try:
            await self._consume(page)
        except Killed:
            return False
        return True

    async def _consume(self, page: int) -> None:
        if self.checkpoint is None:
            place = await iterator(self._engine, self._arn)
        else:
            place = await iterator(self._engine, self._arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=self.checkpoint)
        while True:
            self._step()
            answer = await self._engine.call("GetRecords", {"ShardIterator": place, "Limit": page})
            if not answer["Records"]:
                return
            for record in answer["Records"]:
                self._step()
                self._act_on(record)
            self._step()
            self.checkpoint = answer["Records"][-1]["dynamodb"]["SequenceNumber"]
            place = answer["NextShardIterator"]

    def _act_on(self, record: dict[str, Any]) -> None:
        image = record["dynamodb"]["NewImage"]
        self.seen.append((image["pk"]["S"], int(image["n"]["N"])))

    def _step(self) -> None:
        if not self._steps_left:
            raise Killed
        self._steps_left -= 1


@settings(max_examples=60, deadline=None)
@given(
    rounds=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12)), max_size=8),
    page=st.integers(1, 5),
)
async def test_every_record_at_least_once_and_in_order(rounds: list[tuple[int, int]], page: int) -> None:
    clock = ManualClock()
    with Engine(None, clock=clock, housekeeping_seconds=None) as engine:
        tables = Tables(engine, clock)
        await tables.create_plain(StreamSpecification=STREAM)
        consumer = Consumer(engine, await stream_arn(engine, "plain"))
        written: list[tuple[str, int]] = []
        for puts, steps in rounds:
            for _ in range(puts):
                change = (f"item-{len(written) % 3}", len(written))
                await tables.put("plain", pk=change[0], n=change[1])
                written.append(change)
            await consumer.run(steps, page)
            # Iterators do not survive this; the checkpoint does.
            clock.advance(16 * 60)
        assert await consumer.run(10_000, page)

        first_seen = list(dict.fromkeys(consumer.seen))
        assert first_seen == written, "nothing is missed, and what is seen again was seen before"
        for name in {name for name, _ in written}:
            numbers = [number for seen, number in consumer.seen if seen == name]
            newest = -1
            for number in numbers:
                # A repetition may go back, but never ahead of the next record.
                assert number <= newest or number == min(n for s, n in written if s == name and n > newest)
                newest = max(newest, number)
