"""Studio lessons in simulated time: who lives there (`people`), and what is promised to them (`promises`)."""

from importlib import import_module

from sekkei_systems.lessons.world.people import WORLD as WORLD

import_module("sekkei_systems.lessons.world.promises")  # they join the script
