"""One studio beside ours, with two weeks on sale in a system of its own."""

from __future__ import annotations

import secrets
import socket
from datetime import date, timedelta

import uvicorn

from sekkei.clock import SYSTEM, Clock
from sekkei.runtime.settings import from_environment
from sekkei_fakes.asgi import Application
from sekkei_fakes.offers import Offer, over_http
from sekkei_fakes.studio.system import Faults, StudioSystem, application
from sekkei_systems import days
from sekkei_systems.lessons.rules.studios import DEFAULT_STUDIOS

CODE, NAME = "ebs", "恵比寿"
DAYS = 15
NEARLY_FULL = 1
"""Of three days."""
LESSONS = (
    ("08:00", "08:45", "朝ヨガ", "Saki", 3),
    ("18:30", "19:15", "BSB Beats 1", "KEN", 8),
    ("20:30", "21:15", "リラックスヨガ", "Saki", 5),
)


def demo_studio(clock: Clock) -> StudioSystem:
    """Every third day its own counter has sold all but one."""
    system = StudioSystem(clock)
    offer_days(system, days.today(clock))
    return system


def offer_days(system: StudioSystem, today: date) -> None:
    """Put on sale what is not yet; what its counter has sold of a day is the same whenever one begins."""
    for day in (today + timedelta(days=number) for number in range(DAYS)):
        for start, end, name, instructor, capacity in LESSONS:
            lesson = f"{CODE}/{day}/{start}"
            if lesson in system.lessons:
                continue
            system.offer(lesson, capacity, end=end, name=name, instructor=instructor)
            for _ in range(capacity - 1 if day.toordinal() % 3 == NEARLY_FULL else capacity // 3):
                system.sell(lesson)


def settings_for(url: str, token: str) -> dict[str, str]:
    """What lessons is told, to list this studio and to book in it."""
    return {
        "SEKKEI_LESSONS_STUDIOS": f"{DEFAULT_STUDIOS},{CODE}={NAME}",
        "SEKKEI_LESSONS_FEED_URL": f"{CODE}={url}",
        "SEKKEI_LESSONS_BOOKING_URL": f"{CODE}={url}",
        "SEKKEI_LESSONS_BOOKING_TOKEN": token,
    }


def offer(clock: Clock) -> Offer:
    """As `sekkei counterpart studio` serves it."""
    token = secrets.token_urlsafe(16)
    end = Application(application(demo_studio(clock), token, clock))

    def settings(url: str) -> dict[str, str]:
        return {name.removeprefix("SEKKEI_").lower(): value for name, value in settings_for(url, token).items()}

    return over_http(end, settings)


def run(port: int, *, slow: float, lag: float, mute: float) -> None:
    """In the foreground, until it is stopped; what it sold is forgotten then."""
    token = from_environment().secrets.key("lessons studio token").hex()
    system = demo_studio(SYSTEM)
    system.faults = Faults(slow_seconds=slow, lag_seconds=lag, mute=mute)
    listening = socket.create_server(("127.0.0.1", port))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    print(f"A studio's own system: {url}/{CODE}\nThe settings of lessons beside it:")
    for name, value in settings_for(url, token).items():
        print(f"export {name}='{value}'")
    print(f"curl -X POST -H 'Authorization: Bearer {token}' {url}/counter/LESSON   sells a place at its counter")
    print("Stop it with Ctrl-C.", flush=True)
    uvicorn.Server(uvicorn.Config(application(system, token, SYSTEM), log_level="warning")).run(sockets=[listening])
