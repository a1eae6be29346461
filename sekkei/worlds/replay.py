"""How a story is told once more, to make it shorter: without some of it, and so that what is left still meets.

Left alone, people who do less do the rest earlier, and two who were at one task at one moment no longer are. So each
operation that is left may begin at the moment at which it began before. And since every call throws other dice once
there are fewer of them, whoever looks for a shorter story may throw all of them anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

AND_ON = "+"
"""After the key of an operation that is left out: and all of that person after it."""


@dataclass(frozen=True, slots=True)
class Retelling:
    without: frozenset[str] = field(default_factory=frozenset)
    """Keys of operations, deaths and letters that are left out."""
    moments: Mapping[str, float] = field(default_factory=dict)
    """When each operation begins, by its key; none: after its own pause."""
    luck: int = 0
    """Another number, other dice for the network, the store and the processes; 0 are those of the seed."""

    def leaving_out(self, keys: Iterable[str]) -> Retelling:
        return replace(self, without=self.without | frozenset(keys))

    def dice_name(self, seed: int) -> str:
        return f"{seed}~{self.luck}" if self.luck else f"{seed}"


AS_IT_WAS = Retelling()
