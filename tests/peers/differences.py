"""Where a peer answers otherwise, and why that is no fault of ours.

Each title stands in docs/compatibility.md, with who is right and how that is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.peers.answers import LEFT, Answer
from tests.peers.programme import Step

REFUSED = "ValidationException"
UNMET = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
PREFIX = "1 validation error detected: "

ROLLOUT = "Two wordings of validation errors"
SEVERAL_FAULTS = "Several faults in one request"
OTHER_WORDS = "Other words for a refusal"
LENIENCE = "Mistakes that pass"

Test = Callable[[Step, Answer, Answer], bool]
"""Whether what we and they answered to a step is a case of a difference."""


@dataclass(frozen=True)
class Difference:
    title: str
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Peer:
    """What is known of an implementation that we are compared with."""

    known: tuple[Difference, ...]
    exact_words: bool
    """Whether its refusals are worded as DynamoDB's, so that it is worth while to compare them."""

    @property
    def titles(self) -> list[str]:
        general = [ROLLOUT, SEVERAL_FAULTS] if self.exact_words else [ROLLOUT, SEVERAL_FAULTS, OTHER_WORDS, LENIENCE]
        return [*general, *(difference.title for difference in self.known)]

    def explanation(self, step: Step, ours: Answer, theirs: Answer) -> str | None:
        """The title of the difference that this is, if it is one that is known."""
        if _same_but_for_the_rollout(ours, theirs):
            return ROLLOUT
        if ours.code == theirs.code == REFUSED:
            if step.faults > 1:
                return SEVERAL_FAULTS
            if not self.exact_words:
                return OTHER_WORDS
        if ours.code == REFUSED and step.faults and not self.exact_words:
            return LENIENCE
        for difference in self.known:
            if any(test(step, ours, theirs) for test in difference.tests):
                return difference.title
        return None


def _same_but_for_the_rollout(ours: Answer, theirs: Answer) -> bool:
    """Since June 2026 most regions of DynamoDB put a count in front of more of their messages than before."""
    if ours.code != theirs.code or ours.code is None:
        return False
    bodies = [{**each.body, "message": each.message.removeprefix(PREFIX)} for each in (ours, theirs)]
    return bodies[0] == bodies[1]


# --- tests to make differences of ------------------------------------------------------------------------------------


def codes(ours: str | None, theirs: str | None, our_text: str = "", their_text: str = "", operations: str = "") -> Test:
    """Errors by code (None is a success) and by a pattern of their message."""

    def test(step: Step, mine: Answer, other: Answer) -> bool:
        return (
            (mine.code, other.code) == (ours, theirs)
            and (not operations or step.operation in operations.split())
            and re.search(our_text, mine.message) is not None
            and re.search(their_text, other.message) is not None
        )

    return test


def words(our_text: str, their_text: str) -> Test:
    """The same refusal in other words."""
    return codes(REFUSED, REFUSED, our_text, their_text)


def passes(our_text: str, operations: str = "") -> tuple[Test, ...]:
    """What we refuse, they let pass: it succeeds, or it comes to grief later."""
    return tuple(
        codes(REFUSED, theirs, our_text, operations=operations) for theirs in (None, UNMET, CANCELLED, REFUSED)
    )


def members(names: str, operations: str = "") -> Test:
    """Both succeed, and no other members of the response differ than these."""

    def test(step: Step, mine: Answer, other: Answer) -> bool:
        if mine.code is not None or other.code is not None:
            return False
        if operations and step.operation not in operations.split():
            return False
        everything = mine.body.keys() | other.body.keys()
        return {name for name in everything if mine.body.get(name) != other.body.get(name)} <= set(names.split(","))

    return test


def says(pattern: str, *also: Test) -> Test:
    """The request has this in it, and one of the other tests is met."""

    def test(step: Step, mine: Answer, other: Answer) -> bool:
        text = json.dumps(step.request, ensure_ascii=False)
        return re.search(pattern, text) is not None and (not also or any(each(step, mine, other) for each in also))

    return test


def makes_a_bare_item(step: Step, mine: Answer, other: Answer) -> bool:
    """Both succeed; where we left nothing they left an item that is nothing but its key."""
    if mine.code is not None or other.code is not None or step.table is None:
        return False
    pairs = list(zip(mine.body.get(LEFT, ()), other.body.get(LEFT, ()), strict=True))
    bare = [
        theirs for ours, theirs in pairs if ours is None and theirs is not None and set(theirs) == set(step.table.names)
    ]
    return bool(bare) and all(ours == theirs or (ours is None and theirs in bare) for ours, theirs in pairs)
