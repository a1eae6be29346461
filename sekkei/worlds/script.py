"""A script: who lives in a world, what they do, and what must always be true.

WORLD = Script("tasks", [SYSTEM])

@WORLD.role(4)
async def member(me: Person) -> None: ...            # how somebody of the role begins

@WORLD.does("member", weight=5)
async def moves_a_task(me: Person) -> str: ...       # one operation; what it says becomes the story

@WORLD.always
def counters_equal_a_recount(world: World) -> None: ...      # after every commit

@WORLD.finally_
def nothing_is_left_undone(world: World) -> None: ...        # when faults have stopped and all has settled
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sekkei.runtime.system import System

if TYPE_CHECKING:
    from sekkei.worlds.people import Person
    from sekkei.worlds.world import World

Begin = Callable[["Person"], Awaitable[None]]
Deed = Callable[["Person"], Awaitable["str | None"]]
Invariant = Callable[["World"], None]
Prepare = Callable[["World"], None]
_Background = Callable[["World"], Coroutine[Any, Any, None]]
I = TypeVar("I", bound=Invariant)  # noqa: E741
D = TypeVar("D", bound=Deed)
B = TypeVar("B", bound=Begin)
P = TypeVar("P", bound=Prepare)
L = TypeVar("L", bound=_Background)


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    count: int
    begin: Begin


@dataclass(frozen=True, slots=True)
class Operation:
    role: str
    weight: float
    deed: Deed

    @property
    def name(self) -> str:
        return self.deed.__name__


@dataclass
class Script:
    name: str
    systems: Sequence[System]
    processes: int = 2
    seconds: float = 120.0
    """How long people act before faults stop."""
    settle_seconds: float = 300.0
    """Within this time after faults have stopped everything must be settled."""
    starts: Sequence[float] = (0.0,)
    """At which second of the year a world may begin; the seed chooses."""
    rushes: Sequence[float] = ()
    """At which seconds of the year everybody hurries for a moment; so they do at one of the seed's own choice."""
    leaps: Sequence[float] = ()
    """For how many seconds everything may be down while people act; the seed chooses."""
    rests: Sequence[float] = ()
    """When faults have stopped: time that passes, one after the other, with room to settle after each."""
    outside: Sequence[str] = ("mail",)
    """Kinds of messages that go to services outside."""
    settings: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    before: list[Prepare] = field(default_factory=list)
    background: list[_Background] = field(default_factory=list)
    on_commit: list[tuple[Invariant, Sequence[str]]] = field(default_factory=list)
    at_the_end: list[Invariant] = field(default_factory=list)

    def role(self, count: int) -> Callable[[B], B]:
        """So many people of this role; the function lets one of them begin."""

        def declare(begin: B) -> B:
            self.roles[begin.__name__] = Role(begin.__name__, count, begin)
            return begin

        return declare

    def does(self, role: str, weight: float = 1.0) -> Callable[[D], D]:
        """One thing that people of a role do, again and again, so often beside the others."""

        def declare(deed: D) -> D:
            self.operations.append(Operation(role, weight, deed))
            return deed

        return declare

    def prepares(self, prepare: P) -> P:
        """What is there before everything else: counterparts of services, `world.internet.services[host] = …`."""
        self.before.append(prepare)
        return prepare

    def lives(self, live: L) -> L:
        """Somebody outside with a will of their own, from the beginning to the end."""
        self.background.append(live)
        return live

    def always(self, invariant: I) -> I:
        """True after every commit."""
        self.on_commit.append((invariant, ()))
        return invariant

    def always_in(self, *tables: str) -> Callable[[I], I]:
        """True after every commit; it can only become false by a write to these tables."""

        def declare(invariant: I) -> I:
            self.on_commit.append((invariant, tables))
            return invariant

        return declare

    def finally_(self, invariant: I) -> I:
        """True when faults have stopped and everything has settled."""
        self.at_the_end.append(invariant)
        return invariant
