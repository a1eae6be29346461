"""A team in simulated time: who lives there (`people`), what they do with tasks (`work`), with teams and accounts
(`teams`) and with other programs (`programs`), and what is promised to them (`promises`)."""

from importlib import import_module

from sekkei_systems.tasks.world.people import WORLD as WORLD

for _part in ("work", "teams", "programs", "promises"):
    import_module(f"sekkei_systems.tasks.world.{_part}")  # they join the script
