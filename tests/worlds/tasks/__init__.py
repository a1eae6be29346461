"""A team in simulated time: who lives there (`people`), what they do with tasks (`work`), with teams and accounts
(`teams`) and with other programs (`programs`), and what is promised to them (`promises`)."""

from importlib import import_module

from tests.worlds.tasks.people import WORLD as WORLD

for _part in ("work", "teams", "programs", "promises"):
    import_module(f"tests.worlds.tasks.{_part}")  # they join the script
