"""Named access patterns and their plans.

A pattern is a function that says what to read or write. It is run once with placeholders when the design loads: its
result is its plan, and a pattern that cannot be served does not load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from .actions import Action, Check, Delete, Put, Transaction, Update
from .conditions import Readable, grouped
from .derived import affected, touched
from .errors import DesignError, SekkeiError
from .key_ranges import others_in
from .keys import Ref
from .measured import Units
from .model import hints_of
from .placeholders import Planning, samples
from .query import PAGE_SIZE, Query
from .signatures import clean

if TYPE_CHECKING:
    from .unique import Unique


_P = ParamSpec("_P")
_R_co = TypeVar("_R_co", covariant=True)


class Plan:
    """How one step of a pattern is carried out."""

    def __init__(self, operation: str, table: str, index: str | None = None) -> None:
        self.operation, self.table, self.index = operation, table, index
        self.key = ""  # the key condition
        self.filter = ""  # what is dropped after reading, or the condition of a write
        self.changes: tuple[str, ...] = ()  # the attributes that an update writes, keys that follow included
        self.uniques: tuple[str, ...] = ()  # the uniqueness markers that a write keeps, each with its table
        self.consistent = False
        self.backwards = False
        self.page_size: int | None = None
        self.scan = ""  # why a scan is all right
        self.others: tuple[str, ...] = ()  # entities that were not asked for, but may lie in what is read

    @property
    def target(self) -> str:
        return self.table if self.index is None else f"{self.table}.{self.index}"

    def lines(self) -> list[str]:
        writing = self.operation not in ("GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems")
        found = [f"{self.operation} {self.target}"]
        if self.key:
            found.append(f"key: {self.key}")
        if self.filter:
            found.append(f"{'condition' if writing else 'filter'}: {self.filter}")
        if self.changes:
            found.append(f"changes: {', '.join(self.changes)}")
        if self.uniques:
            found.append(f"unique: {', '.join(self.uniques)}")
        if not writing:
            found.append("consistency: " + ("strong" if self.consistent else "eventual"))
        if self.page_size is not None:
            found.append(f"page: {self.page_size} items, {'last' if self.backwards else 'first'} sort key first")
        if self.others:
            found.append(f"also reads: {', '.join(self.others)}")
        if self.scan:
            found.append(f"scan, because {self.scan}")
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Pattern(Generic[_P, _R_co]):
    """Calling it with real arguments gives what `Database` carries out."""

    def __init__(
        self,
        function: Callable[_P, _R_co],
        *,
        number: str = "",
        ja: str = "",
        scan: str = "",
        page: int | None = None,
        sample: Mapping[str, Any] | None = None,
        added: bool = False,
    ) -> None:
        self.name, self.function = function.__name__, function
        self.number, self.ja, self.added = number, ja, added
        self.en = clean(function.__doc__)
        self.__doc__ = self.en
        self.scan, self._page = scan, page
        if not self.en:
            raise DesignError(
                "SK140", f"pattern {self.name} has no docstring. Say in one sentence what it finds or does."
            )
        self.stand_ins = dict(sample or {})
        self.plans  # noqa: B018  planning is the check that the pattern can be served

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co:
        return self._named(self.function(*args, **kwargs))  # type: ignore[no-any-return]

    def _named(self, found: Any) -> Any:
        """The same value, knowing which pattern it came from."""
        if isinstance(found, Query):
            return found._with(pattern=self.name, size=found.size or self._page)
        if isinstance(found, Action):
            return found._with(pattern=self.name)
        if isinstance(found, Ref):
            ref = Ref(found.entity, found.key, found.values)
            ref.strong, ref.pattern = found.strong, self.name
            return ref
        if isinstance(found, Transaction):
            transaction = Transaction(*found.actions, token=found.token)
            transaction.pattern = self.name
            return transaction
        if isinstance(found, tuple | list):
            return type(found)(self._named(one) for one in found)
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        """Each parameter with its type."""
        return {name: hint for name, hint in hints_of(self.function).items() if name != "return"}

    @property
    def plans(self) -> list[Plan]:
        """The steps, planned with stand-ins for the arguments."""
        given = samples(self.function, hints_of(self.function), self.stand_ins)
        call: Callable[..., Any] = self.function
        try:
            with Planning():
                result = call(**given)
                found = [plan for step in self._steps(result) for plan in self._plan(step)]
        except SekkeiError:
            raise
        except NameError as error:
            raise DesignError(
                "SK141",
                f"pattern {self.name}: {error}. Patterns are planned where they stand; move it below what it uses.",
            ) from error
        except Exception as error:
            raise DesignError(
                "SK141",
                f"pattern {self.name} could not be planned: {type(error).__name__}: {error}. {_what_helps(error)}",
            ) from error
        for plan in found:
            if plan.operation == "Scan" and not self.scan:
                raise DesignError(
                    "SK142",
                    f"pattern {self.name} would read the whole of {plan.target}. Use a key, or declare why this is all "
                    "right: @design.pattern(scan='...').",
                )
            plan.scan = self.scan if plan.operation == "Scan" else ""
        return found

    def _steps(self, result: Any) -> list[Any]:
        return list(result) if isinstance(result, tuple) else [result]

    def _plan(self, step: Any) -> list[Plan]:
        if isinstance(step, Ref):
            return [_plan_get("GetItem", step)]
        if isinstance(step, Query):
            return [_plan_query(step, self._page)]
        if isinstance(step, Action):
            return [_plan_write(step)]
        if isinstance(step, Transaction):
            return [_in_transaction(action) for action in step.actions]
        if isinstance(step, list) and step and all(isinstance(one, Ref) for one in step):
            return _plan_batch(step)
        raise DesignError(
            "SK143",
            f"pattern {self.name} returns {type(step).__name__}. Return a reference, a list of them, a query, a "
            "write, a Transaction, or a tuple of such steps.",
        )

    def describe(self, units: Units | None = None) -> str:
        """The pattern and its plan in words."""
        parameters = ", ".join(f"{name}: {getattr(hint, '__name__', hint)}" for name, hint in self.parameters.items())
        lines = [f"{self.name}({parameters})", f"  {self.en.splitlines()[0]}"]
        for plan in self.plans:
            lines += ["  " + line if i == 0 else "    " + line for i, line in enumerate(plan.lines())]
        lines.append(f"  last measured: {units if units is not None else 'not yet'}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<pattern {self.name}>"


def _key_text(ref: Ref[Any]) -> str:
    readable = Readable()
    return " AND ".join(f"{name} = {readable.value(value)}" for name, value in ref.key.items())


def _plan_get(operation: str, ref: Ref[Any]) -> Plan:
    plan = Plan(operation, ref.entity.table.name)
    plan.key, plan.consistent = _key_text(ref), ref.strong
    return plan


def _plan_batch(refs: list[Ref[Any]]) -> list[Plan]:
    plans: dict[str, Plan] = {}
    for ref in refs:
        one = _plan_get("BatchGetItem", ref)
        plan = plans.setdefault(one.table, one)
        if one.key not in plan.key:
            plan.key += f"; {one.key}"
    return list(plans.values())


def _plan_query(query: Query[Any], page: int | None) -> Plan:
    index = query.view.index
    plan = Plan(query.operation(), query.view.table.name, None if index is None else index.name)
    readable = Readable()
    plan.key = " AND ".join(test.render(readable) for test in query.tests)
    plan.filter = query.filter_text(readable, {"N": "{now}"})
    plan.consistent, plan.backwards = query.strong, not query.forward
    plan.page_size = query.size or page or PAGE_SIZE
    plan.others = tuple(entity.name for entity in others_in(query))
    return plan


_OPERATION_OF: dict[type[Any], str] = {
    Put: "PutItem",
    Update: "UpdateItem",
    Delete: "DeleteItem",
    Check: "ConditionCheck",
}


def _plan_write(action: Action[Any, Any]) -> Plan:
    plan = Plan(_OPERATION_OF[type(action)], action.entity.table.name)
    plan.key = _key_text(action.ref)
    plan.filter = _condition_text(action)
    if isinstance(action, Update):
        changed = [str(change.field.path[0]) for change in action.changes]
        followed = [field.stored for field in affected(action) if field.is_stored]
        plan.changes = tuple(dict.fromkeys((*changed, *followed)))
    plan.uniques = tuple(f"{one.template.text} in {one.markers.table.name}" for one in _uniques_of(action))
    return plan


def _uniques_of(action: Action[Any, Any]) -> list[Unique[Any]]:
    if isinstance(action, Update):
        return touched(action)
    return action.entity.uniques if isinstance(action, Put | Delete) else []


def _condition_text(action: Action[Any, Any]) -> str:
    readable = Readable()
    texts = [grouped(condition, readable) for condition in action.conditions]
    entity = action.entity
    key, kind = entity.table.key_attributes[-1], f"{entity.table.discriminator} = {entity.type!r}".replace("'", '"')
    absent = f"attribute_not_exists({key})"
    present = kind if entity.mingled else f"attribute_exists({key})"
    wanted = _presence(action)
    if wanted is not None:
        texts.append(present if wanted else absent)
    elif entity.mingled and not isinstance(action, Put):
        texts.append(f"({absent} OR {kind})")
    return " AND ".join(texts)


def _presence(action: Action[Any, Any]) -> bool | None:
    """Must the item be there, or must it not? None when the action takes both."""
    if isinstance(action, Put):
        return {"create": False, "put": None, "replace": True}[action.mode]
    if isinstance(action, Update):
        return None if action.creating else True
    if isinstance(action, Check):
        return action.present
    return True if isinstance(action, Delete) and action.needed else None


def _in_transaction(action: Action[Any, Any]) -> Plan:
    plan = _plan_write(action)
    plan.operation = f"TransactWriteItems {plan.operation}"
    return plan


def _what_helps(error: Exception) -> str:
    """A method that we do not have is no matter of stand-ins."""
    kind = type(getattr(error, "obj", None))
    if isinstance(error, AttributeError) and kind.__module__.startswith(__package__):
        methods = {name: one for name, one in vars(kind).items() if callable(one) and not name.startswith("_")}
        going_on = [name for name, one in methods.items() if _gives(one).startswith(kind.__name__)]
        offered = sorted(going_on or methods)
        return f"{kind.__name__} has {', '.join(offered)}."
    return "It runs once with stand-ins; give a parameter that needs a real value one: @design.pattern(sample={...})."


def _gives(method: Any) -> str:
    return str(getattr(method, "__annotations__", {}).get("return", ""))
