"""Global tables of 2017: DynamoDB makes none any more, so none is ever found. Replicas are not for one file."""

from __future__ import annotations

from sekkei.errors import GlobalTableNotFoundException, ResourceNotFoundException, ValidationException

INVALID = "One or more parameter values were invalid"


def version_not_supported() -> ValidationException:
    return ValidationException(
        f"{INVALID}: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global "
        "tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
    )


def no_global_table(name: str) -> GlobalTableNotFoundException:
    return GlobalTableNotFoundException(f"Global table not found: {_absence(name)}")


def no_settings(name: str) -> GlobalTableNotFoundException:
    return GlobalTableNotFoundException(_absence(name))


def no_replicas(name: str) -> ResourceNotFoundException:
    return ResourceNotFoundException(_absence(name))


def _absence(name: str) -> str:
    return f"Global table with name: '{name}' does not exist."
