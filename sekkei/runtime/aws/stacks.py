"""The state of a CloudFormation stack, asked before a new template is written for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from sekkei.runtime.aws.signing import AwsService

VERSION = "2010-05-15"
_NEEDS = {
    "ROLLBACK_COMPLETE": "its first deployment failed; delete it (`aws cloudformation delete-stack`), then deploy anew",
    "ROLLBACK_FAILED": "its first deployment failed; delete it (`aws cloudformation delete-stack`), then deploy anew",
    "CREATE_FAILED": "its first deployment failed; delete it (`aws cloudformation delete-stack`), then deploy anew",
    "UPDATE_ROLLBACK_FAILED": "run `aws cloudformation continue-update-rollback` and wait until it has ended",
    "UPDATE_FAILED": "run `aws cloudformation rollback-stack` and wait until it has ended",
    "DELETE_FAILED": "delete it again (`aws cloudformation delete-stack`), then deploy anew",
}


class NoStacks(RuntimeError):
    """CloudFormation gave no answer that says how the stack is; the text is its own."""


async def state_of(service: AwsService, name: str) -> str | None:
    """Such as UPDATE_COMPLETE; None when there is no such stack."""
    query = f"Action=DescribeStacks&StackName={quote(name, safe='')}&Version={VERSION}"
    answer = await service.call("GET", "/", query=query)
    text = answer.body.decode("utf-8", "replace")
    found = re.search(r"<StackStatus>([A-Z_]+)</StackStatus>", text)
    if answer.status == 200 and found is not None:
        return None if found[1] == "DELETE_COMPLETE" else found[1]
    if "does not exist" in text:
        return None
    said = re.search(r"<Message>(.*?)</Message>", text, re.DOTALL)
    raise NoStacks(f"CloudFormation answered {answer.status}: {said[1] if said is not None else text[:200]}")


def in_the_way(state: str | None) -> str | None:
    """What has to be done before this stack takes a template; None when it takes one."""
    if state is None:
        return None
    if state in _NEEDS:
        return _NEEDS[state]
    if state.endswith("_IN_PROGRESS") and state != "REVIEW_IN_PROGRESS":
        return "something is under way; wait until it has ended"
    return None
