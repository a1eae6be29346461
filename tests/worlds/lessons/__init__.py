"""Studio lessons in simulated time: who lives there (`people`), what they try in vain (`trespassing`), and
what is promised to them (`promises`)."""

from importlib import import_module

from tests.worlds.lessons.people import WORLD as WORLD

for _part in ("trespassing", "promises"):
    import_module(f"tests.worlds.lessons.{_part}")  # they join the script
