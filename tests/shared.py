"""Services that not only a page calls: whose work each does, also when a test calls it by itself.

What more than one function does is asked by each of them one day: a page does it at once, and the clock when the page
could not; a stream, and the clock that looks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import Any

CLOCK, STREAM = ("work",), ("stream",)
PAGE_OR_CLOCK, STREAM_OR_CLOCK = ("http", "work"), ("stream", "work")

SERVICES: dict[str, tuple[str, ...]] = {
    "chiipochi.service.books:Books.take_over": PAGE_OR_CLOCK,
    "chiipochi.service.inbox:Inbox._handle_one": PAGE_OR_CLOCK,
    "chiipochi.service.inbox:Inbox.handle_left_over": CLOCK,
    "chiipochi.service.payments:Later.look": CLOCK,
    "chiipochi.service.payments:Reconciliation.run": CLOCK,
    "chiipochi.service.payments:Settling.apply": PAGE_OR_CLOCK,
    "chiipochi.service.pledges:Pledges.ask_all": CLOCK,
    "chiipochi.service.reports:Rankings.roll_up": CLOCK,
    "chiipochi.service.reports:Rankings.step": CLOCK,
    "chiipochi.service.reports:Reports.repair": PAGE_OR_CLOCK,
    "eventbot.jobs.events:EventSettling.settle_event": PAGE_OR_CLOCK,
    "eventbot.webhooks.desk:InteractionDesk._in_turn": PAGE_OR_CLOCK,
    "eventbot.webhooks.desk:InteractionDesk._reply": PAGE_OR_CLOCK,
    "lessons.service.alerts:Alerts.lesson_changed": STREAM_OR_CLOCK,
    "lessons.service.alerts:Alerts.remind": CLOCK,
    "lessons.service.desk:ClassMessages.finish": CLOCK,
    "lessons.service.timetable:Listed.compare": CLOCK,
    "lessons.service.monitor:Monitor.filled": STREAM,
    "lessons.service.monitor:Monitor.look_at": STREAM_OR_CLOCK,
    "lessons.service.monitor:Monitor.run": CLOCK,
    "lessons.service.moves:Moves.settle": CLOCK,
    "lessons.service.reservations:Reservations.settle": CLOCK,
    "lessons.service.restoring:Restoring.restore": CLOCK,
    "lessons.service.searches:Searches.came_up": STREAM,
    "lessons.service.searches:Searches.tell": CLOCK,
    "lessons.service.weekly:Weekly.make": CLOCK,
    "q.service.following:Following.settle_requests": PAGE_OR_CLOCK,
    "q.service.notices:Notices.send": CLOCK,
    "q.service.notices:Notices.tell": STREAM,
    "q.service.notices:Notices.tell_officially": STREAM,
    "q.service.numbers:Numbers.answer": STREAM,
    "q.service.numbers:Numbers.matter": STREAM,
    "q.service.numbers:Numbers.presence": STREAM_OR_CLOCK,
    "q.service.numbers:Numbers.push": CLOCK,
    "q.service.questions:Planning.plan": CLOCK,
    "q.service.questions:Planning.publish_due": CLOCK,
    "q.service.questions:Planning.reuse": CLOCK,
    "q.service.reactions:Reactions.digest_of": CLOCK,
    "tasks.service.mail:Digest.send": CLOCK,
    "tasks.service.flows:Flows.changed": STREAM,
    "tasks.service.plans:Recurrence.done": STREAM,
}


def shared() -> Iterator[tuple[Any, str, tuple[str, ...]]]:
    """Class, method, and the functions that call it."""
    for place, functions in SERVICES.items():
        owner, _, name = place.rpartition(".")
        yield resolve_name(f"sekkei_systems.{owner}"), name, functions
