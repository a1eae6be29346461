"""Q. in simulated time: who lives there (`people`), what their phones hear (`hearing`),
and what is promised to them (`promises`)."""

from importlib import import_module

from tests.worlds.q.people import WORLD as WORLD

import_module("tests.worlds.q.promises")  # they join the script
