"""What the console looks at: a store, and the designs that say what is in it.

In `sekkei up` it is the store that the systems run on; in `sekkei look` any store, while the shell keeps its own data
apart. Unless it may write, the store itself refuses to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request

from sekkei.advice.checking import check
from sekkei.advice.findings import Finding
from sekkei.design import Design, Measurements, SekkeiError, Table
from sekkei.design.loading import find, measurements_beside
from sekkei.design.measured import Units
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.refusals import NotThere
from sekkei.runtime.system import Localized
from sekkei.store.protocol import Store
from sekkei.store.read_only import ReadOnly
from sekkei.web.console.changing import Journal
from sekkei.web.console.simulations import Simulations
from sekkei.web.identity.design import design as web_design

WRITE = "console_write"
"""SEKKEI_CONSOLE_WRITE=1 lets operators change items in the console of `sekkei up`."""


@dataclass(frozen=True, slots=True)
class Looked:
    store: Store
    designs: Mapping[str, Design]
    env: str
    where: str
    """The store in words, for whoever is about to change it."""
    write: bool = False
    remote: bool = False
    """Others may be using it; a change is confirmed a second time."""
    alone: bool = False
    """Nothing else runs here: no outbox, no schedules, no jobs."""
    sampled: bool = False
    """The items are made up."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """What each design was called by, where that is not its name."""
    titles: Mapping[str, Localized] = field(default_factory=dict)
    token: str = ""
    """Who comes without it stays outside; see `entering`."""
    further: tuple[Design, ...] = ()
    """Designs whose items are understood too, without being listed."""
    journal: Journal = field(default_factory=Journal)
    simulations: Simulations = field(default_factory=Simulations)
    advised: dict[str, tuple[dict[str, Units], list[Finding]]] = field(default_factory=dict)
    """What advice says of each design, and of which measurements."""

    def design(self, name: str) -> Design:
        if name not in self.designs:
            raise NotThere()
        return self.designs[name]

    def table(self, name: str) -> tuple[Design, Table] | None:
        """The design and the table that a table of the store belongs to, when one of the designs has it."""
        for design in (*self.designs.values(), *self.further):
            table = design.table_named(name, self.env)
            if table is not None:
                return design, table
        return None

    def name_of(self, design: Design) -> str | None:
        """Under which name the console shows a design."""
        return next((name for name, each in self.designs.items() if each is design), None)

    def title(self, name: str) -> Localized:
        design = self.designs[name]
        known = {"ja": design.ja or design.en or design.name, "en": design.en or design.name}
        return self.titles.get(name) or known

    def measured(self, name: str) -> Measurements:
        """What a design's patterns cost when they were last measured."""
        try:
            return Measurements.load(measurements_beside(find(self.sources.get(name, name))[1]))
        except SekkeiError:
            return Measurements()

    def findings(self, name: str, measured: Measurements) -> list[Finding]:
        """What advice says of a design; every rule is asked once, and again when it was measured anew."""
        if name not in self.advised or self.advised[name][0] != measured.units:
            self.advised[name] = measured.units, check(self.design(name), measured)
        return self.advised[name][1]


def looked_by(request: Request) -> Looked:
    found: Looked = request.app.state.shell.looked
    return found


def of_deployment(deployment: Deployment) -> Looked:
    """The store that the systems run on; read-only unless SEKKEI_CONSOLE_WRITE says otherwise."""
    systems = {name: opened.system for name, opened in deployment.systems.items()}
    settings = deployment.settings
    write = settings.get(WRITE) in ("1", "true", "yes")
    return Looked(
        deployment.store if write else ReadOnly(deployment.store),
        {name: system.design for name, system in systems.items()},
        settings.env,
        settings.store or str(settings.data),
        write,
        is_remote(settings.store),
        titles={name: system.title for name, system in systems.items()},
        further=(runtime_design, web_design),
    )


def is_remote(store: str) -> bool:
    """Does a store's name lead away from this machine?"""
    from urllib.parse import urlsplit

    if store.startswith("dynamodb:"):
        return True
    return store.startswith(("http:", "https:")) and urlsplit(store).hostname not in ("127.0.0.1", "::1", "localhost")
