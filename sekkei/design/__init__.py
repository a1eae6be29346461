"""A DynamoDB design as typed Python: tables, entities, key templates, indexes, named access patterns, transactions."""

from typing import TYPE_CHECKING, Any

from .actions import Action, Check, Delete, Put, Transaction, Update
from .codecs import approximate, epoch, iso, time_of_day
from .conditions import Condition
from .design import Design, Marking, Relation
from .entity import Entity
from .errors import (
    ConditionFailed,
    Contended,
    CursorRefused,
    DesignError,
    Failed,
    ItemRefused,
    NotFound,
    Reason,
    SekkeiError,
    TablesDiffer,
    TransactionFailed,
    ValueRefused,
)
from .fields import Attr, Field, attr, computed, part, template, version
from .keys import Key, Ref
from .model import model, replace
from .query import Query
from .table import Capacity, Index, LocalIndex, Table
from .views import View

if TYPE_CHECKING:
    from . import provisioning as tables
    from .backfill import Renewal
    from .collections import Collection, collection
    from .database import Database
    from .measured import Measurements, Units
    from .patterns import Pattern, Plan
    from .reading import First, Page
    from .streams import Change, Reactions
    from .sync_database import SyncDatabase
    from .unique import Unique, UniqueKey

_HOMES = {
    "Change": "streams",
    "Collection": "collections",
    "Database": "database",
    "First": "reading",
    "Measurements": "measured",
    "Page": "reading",
    "Pattern": "patterns",
    "Plan": "patterns",
    "Reactions": "streams",
    "Renewal": "backfill",
    "SyncDatabase": "sync_database",
    "Unique": "unique",
    "UniqueKey": "unique",
    "Units": "measured",
    "collection": "collections",
}
"""What not every program needs, and the module that is loaded when it is asked for."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "tables":
        return import_module(".provisioning", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return found


__all__ = [
    "Action",
    "Attr",
    "Capacity",
    "Change",
    "Check",
    "Collection",
    "Condition",
    "ConditionFailed",
    "Contended",
    "CursorRefused",
    "Database",
    "Delete",
    "Design",
    "DesignError",
    "Entity",
    "Failed",
    "Field",
    "First",
    "Index",
    "ItemRefused",
    "Key",
    "LocalIndex",
    "Marking",
    "Measurements",
    "NotFound",
    "Page",
    "Pattern",
    "Plan",
    "Put",
    "Query",
    "Reactions",
    "Reason",
    "Ref",
    "Relation",
    "Renewal",
    "SekkeiError",
    "SyncDatabase",
    "Table",
    "TablesDiffer",
    "Transaction",
    "TransactionFailed",
    "Unique",
    "UniqueKey",
    "Units",
    "Update",
    "ValueRefused",
    "View",
    "approximate",
    "attr",
    "collection",
    "computed",
    "epoch",
    "iso",
    "model",
    "part",
    "replace",
    "tables",
    "template",
    "time_of_day",
    "version",
]
