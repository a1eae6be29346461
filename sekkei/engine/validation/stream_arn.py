"""What can be the ARN of a stream."""

from __future__ import annotations

import re

from sekkei.errors import ValidationException

_is_stream = re.compile(r"arn:aws[a-z-]*:dynamodb:[^:]*:\d*:table/[a-zA-Z0-9_.-]+/stream/.+").fullmatch


def check_stream_arn(arn: str) -> None:
    if not _is_stream(arn):
        raise ValidationException(f"Invalid StreamArn: {arn}")
