"""The list of operations against the service model that the AWS SDKs are made from."""

from __future__ import annotations

import botocore.session

from sekkei.wire.targets import OPERATIONS
from tests.wire.test_model import named


def test_every_operation_of_the_service_model_has_its_target() -> None:
    session = botocore.session.get_session()
    for service in ("dynamodb", "dynamodbstreams"):
        model = session.get_service_model(service)
        prefix = model.metadata["targetPrefix"]
        known = {operation for target, operation in OPERATIONS.items() if target.startswith(f"{prefix}.".encode())}
        assert set(model.operation_names) - known <= named()
        assert known <= set(model.operation_names)
