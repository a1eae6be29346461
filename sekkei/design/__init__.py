"""A DynamoDB design as typed Python: tables, entities, key templates, indexes, named access patterns, transactions."""

from typing import TYPE_CHECKING, Any

from .actions import Action, Check, Delete, Put, Transaction, Update
from .annotations import approximate, epoch, iso, time_of_day
from .collections import Collection, collection
from .conditions import Condition
from .database import Database
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
from .measured import Measurements, Units
from .model import model, replace
from .patterns import Pattern, Plan
from .query import Query
from .reading import Page
from .renewal import Renewal
from .streams import Change, Reactions
from .table import Capacity, Index, LocalIndex, Table
from .unique import Unique, UniqueKey
from .views import View

if TYPE_CHECKING:
    from . import provisioning as tables
    from .sync_database import SyncDatabase
else:

    def __getattr__(name: str) -> Any:
        """What most programs never need is loaded when asked for; `tables` is the public name of `provisioning`."""
        if name == "tables":
            from . import provisioning

            return provisioning
        if name == "SyncDatabase":
            from .sync_database import SyncDatabase

            return SyncDatabase
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
