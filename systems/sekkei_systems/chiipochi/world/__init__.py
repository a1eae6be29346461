"""ちいポチ in simulated time: who lives there (`people`), and what is promised to them (`promises`)."""

from importlib import import_module

from sekkei_systems.chiipochi.world.people import SECRET as SECRET
from sekkei_systems.chiipochi.world.people import WEBHOOK_SECRET as WEBHOOK_SECRET
from sekkei_systems.chiipochi.world.people import WORLD as WORLD

import_module("sekkei_systems.chiipochi.world.promises")  # they join the script
