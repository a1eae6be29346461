"""A plan of 200 pushes lasts a month of 2,000 donations."""

from __future__ import annotations

import random

from sekkei_systems.chiipochi.rules.pushes import PUSHES, News, Push, may_push


def test_answers_never_cost_and_money_always_may() -> None:
    assert not may_push(PUSHES["answer"], None, 0)
    assert may_push(PUSHES["payment-link"], 200, 200), "LINE itself says no when the month is used up"
    assert may_push(PUSHES["thanks"], None, 10**6), "a plan without a limit"
    assert may_push(PUSHES["thanks"], 200, 99)
    assert not may_push(PUSHES["thanks"], 200, 100)


def test_a_month_of_two_thousand_donations_on_a_plan_of_two_hundred() -> None:
    dice = random.Random(5)
    used, lost = 0, 0
    for _ in range(2_000):
        news: list[News] = ["answer", "answer", "thanks"]
        news += ["refunded"] if dice.random() < 0.01 else []
        news += ["failed-later"] if dice.random() < 0.02 else []
        news += ["payment-link"] if dice.random() < 0.01 else []  # its reply token was dead
        for one in news:
            if may_push(PUSHES[one], 200, used):
                lost += used >= 200 and PUSHES[one] is Push.ALWAYS
                used += used < 200
    assert lost == 0, "everything that people must know went out"
    assert used <= 200
