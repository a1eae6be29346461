"""Checks a design, measures it, prices it and simulates its heat, offline, from the design itself.

from sekkei.advice import declared, heat_of, plot, simulate_users

scale = declared("q")                             what one user does, from traffic.toml beside the design
heat_of(scale, 100_000)["Answers"].dollars        a month; also units a second, and how near the wall is
plot(simulate_users(scale, 400_000))              the busiest hour of 400,000 users, as SVG
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sekkei.advice.heat import Report, simulate
    from sekkei.advice.heat_chart import Words, plot
    from sekkei.advice.scale import Heat, declared, heat_of, simulate_users

__all__ = ["Heat", "Report", "Words", "declared", "heat_of", "plot", "simulate", "simulate_users"]

_HOMES = {"heat_chart": ("Words", "plot"), "heat": ("Report", "simulate")}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: most programs need one part of advice and not the rest."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "scale")
    return getattr(import_module(f"{__name__}.{home}"), name)
