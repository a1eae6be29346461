"""Resource policies: kept for a table and for its stream, each with a revision. Nothing is decided by them here."""

from __future__ import annotations

import copy
from typing import NamedTuple

import orjson

from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.catalogue import ACCOUNT, Table, table_arn
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.table_record import POLICIES, attach_policy, described_table
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import String, Structure
from sekkei.errors import PolicyNotFoundException, ResourceNotFoundException, ValidationException

_POLICY_BYTES_MAX = 20 * 1024
NO_POLICY = "NO_POLICY"
"""The revision that a caller expects who expects none."""

_INVALID = "One or more parameter values were invalid: "

_DELETE = Structure(
    "DeleteResourcePolicyInput",
    "ResourceArn",
    ResourceArn=fields.RESOURCE_ARN,
    ExpectedRevisionId=String(shortest=1, longest=255),
)
_GET = Structure("GetResourcePolicyInput", "ResourceArn", ResourceArn=fields.RESOURCE_ARN)
_PUT = Structure(
    "PutResourcePolicyInput",
    "ResourceArn Policy",
    ResourceArn=fields.RESOURCE_ARN,
    Policy=fields.STRING,
    ExpectedRevisionId=String(shortest=1, longest=255),
    ConfirmRemoveSelfResourceAccess=fields.BOOLEAN,
)


def delete_resource_policy(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    resource = _resource_of(transaction, request["ResourceArn"])
    _check_revision(resource, request.get("ExpectedRevisionId"))
    revision = delete(transaction, resource)
    return {} if revision is None else {"RevisionId": revision}


def get_resource_policy(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ResourceArn"]
    policy = _resource_of(snapshot, arn).policy
    if policy is None:
        raise PolicyNotFoundException(f"Resource-based policy not found for the provided ResourceArn: {arn}")
    return dict(policy)


def put_resource_policy(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    resource = _resource_of(transaction, request["ResourceArn"])
    _check_revision(resource, request.get("ExpectedRevisionId"))
    return {"RevisionId": put(transaction, resource, request["Policy"])}


class _Resource(NamedTuple):
    """What a policy is attached to."""

    table: Table
    arn: str

    @property
    def policy(self) -> dict[str, str] | None:
        found: dict[str, str] | None = self.table.record.get(POLICIES, {}).get(self.arn)
        return found


def _resource_of(snapshot: Snapshot, arn: str) -> _Resource:
    """The table or the stream that an ARN names."""
    parts = arn.split(":", 5)
    if parts[0] != "arn":
        raise ValidationException(f"{_INVALID}ARNs must start with 'arn:': {arn}")
    if len(parts) < 6 or parts[2] != "dynamodb":
        raise ValidationException(f"{_INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    if parts[1] != "aws" or parts[3] != snapshot.region:
        raise ValidationException(f"{_INVALID}Invalid resource Arn: {arn}")
    if parts[4] != ACCOUNT:
        raise ValidationException("This action is only supported by accounts that match the resource owner’s account.")
    kind, *path = parts[5].split("/", 3)
    if kind == "table" and len(path) == 3 and path[1] == "index":
        raise ValidationException(
            f"{_INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: {arn}"
        )
    if kind != "table" or len(path) not in (1, 3) or (len(path) == 3 and path[1] != "stream"):
        raise ValidationException(f"{_INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
    table = described_table(snapshot, path[0])
    if len(path) == 3 and table.record.get("LatestStreamArn") != arn:
        raise ResourceNotFoundException(
            f"Requested resource not found: Stream: {path[2]} not found for Table: {table.name}"
        )
    return _Resource(table, arn if len(path) == 3 else table_arn(path[0], snapshot.region))


def put(transaction: Transaction, resource: _Resource, policy: str) -> str:
    """Attach a policy; gives its revision, which stays as it is when the policy does."""
    _check(policy)
    before = resource.policy
    if before is not None and before["Policy"] == policy:
        return before["RevisionId"]
    record = copy.deepcopy(resource.table.record)
    attach_policy(record, resource.arn, policy, transaction.now)
    transaction.save_table(resource.table.id, record)
    revision: str = record[POLICIES][resource.arn]["RevisionId"]
    return revision


def delete(transaction: Transaction, resource: _Resource) -> str | None:
    """Take a policy away; gives the revision it had, if there was one."""
    policy = resource.policy
    if policy is None:
        return None
    record = copy.deepcopy(resource.table.record)
    del record[POLICIES][resource.arn]
    transaction.save_table(resource.table.id, record)
    return policy["RevisionId"]


def _check_revision(resource: _Resource, expected: str | None) -> None:
    """Raise unless the policy is the one that the caller has seen."""
    if expected is None:
        return
    policy, name = resource.policy, resource.table.name
    problem = ""
    if policy is None:
        if expected != NO_POLICY:
            problem = (
                f"Requested update for policy with revision id {expected}, "
                f"but no policy is associated to target table {name}."
            )
    elif expected == NO_POLICY:
        problem = (
            f"Requested policy update expecting none to be present for table {name}, "
            f"but a policy exists with revision id {policy['RevisionId']}."
        )
    elif expected != policy["RevisionId"]:
        problem = (
            f"Requested update for policy with revision id {expected}, "
            f"but the policy associated to target table {name} has revision id {policy['RevisionId']}."
        )
    if problem:
        raise PolicyNotFoundException(f"Resource-based policy not found for the provided ResourceArn: {problem}")


def _check(policy: str) -> None:
    if len(policy.encode("utf-8", "surrogatepass")) > _POLICY_BYTES_MAX:
        raise ValidationException(
            f"{_INVALID}Resource-based policy size exceeds the limit of {_POLICY_BYTES_MAX} bytes"
        )
    try:
        document = orjson.loads(policy)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not document.get("Statement"):
        raise ValidationException(f"{_INVALID}Invalid policy document: the policy is not a JSON object with statements")


OPERATIONS = (
    Write("DeleteResourcePolicy", _DELETE, plain, delete_resource_policy),
    Read("GetResourcePolicy", _GET, plain, get_resource_policy),
    Write("PutResourcePolicy", _PUT, plain, put_resource_policy),
)
