"""Q. in simulated time: who lives there (`people`), what their phones hear (`hearing`),
and what is promised to them (`promises`)."""

from importlib import import_module

from sekkei_systems.q.world.people import WORLD as WORLD

import_module("sekkei_systems.q.world.promises")  # they join the script
