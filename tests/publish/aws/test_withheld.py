"""Each permission is taken from the role of a deployed function, one at a time: whoever needs it is refused.

`SEKKEI_WITHHELD=FILE` keeps what was tried, so that a programme that was stopped goes on where it was; `=FILE:SECONDS`
also ends it after a while. Permissions that nobody on the walk asks for are counted, not tried: tests of the systems
have seen them asked (`make calls`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.publish.aws import walks
from tests.publish.aws.deployed import Cloud, Stack
from tests.publish.aws.listening import Asked, Ears, listening
from tests.publish.aws.test_deployed import deployed, ministack

__all__ = ["ministack"]
pytestmark = [pytest.mark.torture, pytest.mark.timeout(7200)]
ROLES = {"http": "HttpRole", "work": "WorkRole", "stream": "StreamRole"}


class Refused(Exception):
    """Somebody asked for what was taken away."""


class Notes:
    """What was tried already, by system; in a file when somebody wants to go on another time."""

    def __init__(self, given: str) -> None:
        path, _, seconds = given.partition(":")
        self._path = Path(path) if path else None
        self._until = time.monotonic() + float(seconds or "inf")
        kept = json.loads(self._path.read_text("utf-8")) if self._path and self._path.exists() else {}
        self.tried: dict[str, dict[str, bool]] = kept

    @property
    def over(self) -> bool:
        return time.monotonic() > self._until

    def keep(self, system: str, asked: Asked, broke: bool) -> None:
        self.tried.setdefault(system, {})[" ".join(asked)] = broke
        if self._path:
            self._path.write_text(json.dumps(self.tried, indent=1), "utf-8")

    def knows(self, system: str, asked: Asked) -> bool:
        return " ".join(asked) in self.tried.get(system, {})


class Role:
    """The role of a deployed function."""

    def __init__(self, stack: Stack, function: str) -> None:
        found = stack.cloud.client("cloudformation").describe_stack_resources(StackName=stack.name)["StackResources"]
        named = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}
        self._iam, self._name = stack.cloud.client("iam"), named[ROLES[function]]
        (self._policy,) = self._iam.list_role_policies(RoleName=self._name)["PolicyNames"]
        document = self._iam.get_role_policy(RoleName=self._name, PolicyName=self._policy)["PolicyDocument"]
        self._statements: list[dict[str, Any]] = document["Statement"]
        self.function = function

    def pairs(self) -> set[Asked]:
        return {Asked(self.function, *pair) for statement in self._statements for pair in _pairs(statement)}

    @contextmanager
    def without(self, asked: Asked) -> Iterator[None]:
        self._put([left for each in self._statements for left in _without(each, asked)])
        try:
            yield
        finally:
            self._put(self._statements)

    def _put(self, statements: list[dict[str, Any]]) -> None:
        document = json.dumps({"Version": "2012-10-17", "Statement": statements})
        self._iam.put_role_policy(RoleName=self._name, PolicyName=self._policy, PolicyDocument=document)


def _pairs(statement: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for action in statement["Action"]:
        for resource in _resources(statement):
            yield action, _end(resource)


def _resources(statement: dict[str, Any]) -> list[str]:
    found: str | list[str] = statement["Resource"]
    return [found] if isinstance(found, str) else found


def _end(arn: str) -> str:
    return arn.partition(":table/")[2] or arn


def _without(statement: dict[str, Any], asked: Asked) -> Iterator[dict[str, Any]]:
    """The statement in two: every other action, and this one for every other resource."""
    if (asked.action, asked.resource) not in set(_pairs(statement)):
        yield statement
        return
    others = [action for action in statement["Action"] if action != asked.action]
    if others:
        yield {**statement, "Sid": f"{statement['Sid']}1", "Action": others}
    elsewhere = [arn for arn in _resources(statement) if _end(arn) != asked.resource]
    if elsewhere:
        yield {**statement, "Sid": f"{statement['Sid']}2", "Action": [asked.action], "Resource": elsewhere}


def _breaks(stack: Stack, ears: Ears, asked: Asked, numbers: Iterator[int]) -> bool:
    """Whether somebody is refused it; warm functions remember some answers, so a cold one is asked too."""
    ears.refused.clear()

    def check() -> None:
        if asked in ears.refused:
            raise Refused

    try:
        walks.use(replace(stack, check=check), next(numbers))
        stack.renew(asked.function)
        walks.use(replace(stack, check=check), next(numbers))
    except Refused:
        return True
    return asked in ears.refused


@pytest.mark.parametrize("system", ["tasks", "lessons", "eventbot", "chiipochi", "q"])
def test_whatever_is_taken_away_is_missed(ministack: Cloud, tmp_path: Path, system: str) -> None:
    notes, numbers = Notes(os.environ.get("SEKKEI_WITHHELD", "")), count()
    with listening(ministack.port) as ears:
        stack = deployed(ministack, system, tmp_path, change=ears.change)
        for _ in range(2):  # the second time there is something to be read, too
            walks.use(stack, next(numbers))
        functions = [each for each in ROLES if each != "stream" or system != "eventbot"]
        roles = {each: Role(stack, each) for each in functions}
        allowed = set().union(*(role.pairs() for role in roles.values()))
        assert ears.heard <= allowed
        for asked in sorted(ears.heard):
            if not notes.over and not notes.knows(system, asked):
                with roles[asked.function].without(asked):
                    notes.keep(system, asked, _breaks(stack, ears, asked, numbers))
    tried = notes.tried.get(system, {})
    print(f"{system}: {len(allowed)} permissions, {len(ears.heard)} asked for on the walk, {len(tried)} taken away,")
    print(f"  {sum(tried.values())} missed; asked for by nobody here: {len(allowed - ears.heard)}")
    print("  " + ", ".join(sorted(" ".join(each) for each in allowed - ears.heard)))
    assert [name for name, broke in tried.items() if not broke] == []
