"""Permissions that are held back until somebody is refused them: then each is given, and what failed is asked again.

A function begins with none. The first call is refused, and IAM names what was missing; everything up to that call went
as it would have gone with every other permission. So the permission that is named is needed, alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tests.publish.aws.deployed import Stack
from tests.publish.aws.listening import Asked, Ears, end

ROLES = {"http": "HttpRole", "work": "WorkRole", "stream": "StreamRole"}
OF_LAMBDA = ("/stream/", "logs:", "sqs:")
"""Lambda itself asks for these, before and after the function; Ministack does so without asking IAM."""


class Role:
    """The role of a deployed function."""

    def __init__(self, stack: Stack, function: str) -> None:
        found = stack.cloud.client("cloudformation").describe_stack_resources(StackName=stack.name)["StackResources"]
        named = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in found}
        self._function = function
        self._iam, self._name = stack.cloud.client("iam"), named[ROLES[function]]
        (self._policy,) = self._iam.list_role_policies(RoleName=self._name)["PolicyNames"]
        document = self._iam.get_role_policy(RoleName=self._name, PolicyName=self._policy)["PolicyDocument"]
        self._statements: list[dict[str, Any]] = document["Statement"]
        pairs = {pair for each in self._statements for pair in _pairs(function, each)}
        self.of_lambda = {pair for pair in pairs if any(part in f"{pair.action} {pair.resource}" for part in OF_LAMBDA)}
        self.allowed = pairs - self.of_lambda

    def give(self, given: frozenset[Asked]) -> None:
        """These, and no other."""
        may = {(each.action, each.resource) for each in given | self.of_lambda if each.function == self._function}
        statements = [left for each in self._statements for left in _left(each, may)]
        document = json.dumps({"Version": "2012-10-17", "Statement": statements})
        self._iam.put_role_policy(RoleName=self._name, PolicyName=self._policy, PolicyDocument=document)


def _left(statement: dict[str, Any], may: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """A statement for each of its actions, with what is left of its resources."""
    for action in statement["Action"]:
        arns = [arn for arn in _resources(statement) if (action, end(arn)) in may]
        if arns:
            bare = {key: value for key, value in statement.items() if key != "Sid"}
            yield {**bare, "Action": [action], "Resource": arns}


def _pairs(function: str, statement: dict[str, Any]) -> Iterator[Asked]:
    for action in statement["Action"]:
        for resource in _resources(statement):
            yield Asked(function, action, end(resource))


def _resources(statement: dict[str, Any]) -> list[str]:
    found: str | list[str] = statement["Resource"]
    return [found] if isinstance(found, str) else found


class Withheld:
    """Of all functions of a stack: who was refused what, and how that was to be seen."""

    def __init__(self, stack: Stack, ears: Ears, functions: list[str]) -> None:
        self._stack, self._ears = stack, ears
        self.roles = {each: Role(stack, each) for each in functions}
        self.answered: dict[Asked, str] = {}
        """What an answer said to whoever asked; empty where it said nothing."""
        self._one_at_a_time = threading.Lock()
        self.given: frozenset[Asked] = frozenset()
        self._give(set(ROLES), self.given)

    def _give(self, functions: set[str], given: frozenset[Asked]) -> None:
        for function in functions & self.roles.keys():
            self.roles[function].give(given)
        self.given = self._ears.given = given

    @property
    def allowed(self) -> set[Asked]:
        return set().union(*(role.allowed for role in self.roles.values()))

    def attempt(self, function: str, ask: Callable[[], Any]) -> Any:
        """Again and again, each time with what was missing before."""
        with self._one_at_a_time:
            while True:
                answer = ask()
                refused = self._refused()
                self.answered |= {each: _fault(answer) if each.function == function else "" for each in refused}
                if not any(each.function == function for each in refused):
                    return answer

    def _refused(self) -> set[Asked]:
        """What was missing is given from now on: one to each function, because of two calls side by side that are
        refused only one is told; the other is refused again."""
        first = {each.function: each for each in reversed(self._ears.refused) if each not in self.given}
        refused = set(first.values())
        self._ears.refused.clear()
        assert refused <= self.allowed, f"nobody may: {sorted(refused - self.allowed)}"
        self._give({each.function for each in refused}, self.given | refused)
        return refused

    def unseen(self) -> list[Asked]:
        """Refused without a sign: no answer failed, and no log of a function names it."""
        logs = {function: "\n".join(self._log(function)) for function in self.roles}
        silent = [each for each, said in self.answered.items() if not said]
        return sorted(each for each in silent if not _named(each, logs[each.function]))

    def _log(self, function: str) -> Iterator[str]:
        client, group = self._stack.cloud.client("logs"), f"/aws/lambda/{self._stack.name}-{function}"
        for page in client.get_paginator("filter_log_events").paginate(logGroupName=group):
            yield from (event["message"] for event in page["events"])


def _fault(answer: Any) -> str:
    """What a page or a function says when it failed."""
    if isinstance(answer, dict):
        return str(answer.get("FunctionError", ""))
    return str(answer.status_code) if answer.status_code >= 500 else ""


def _named(asked: Asked, log: str) -> bool:
    return f"perform: {asked.action} on resource: {asked.resource} " in log
