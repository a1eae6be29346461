"""ちいポチ in simulated time: who lives there (`people`), and what is promised to them (`promises`)."""

from importlib import import_module

from tests.worlds.chiipochi.people import SECRET as SECRET
from tests.worlds.chiipochi.people import WEBHOOK_SECRET as WEBHOOK_SECRET
from tests.worlds.chiipochi.people import WORLD as WORLD

import_module("tests.worlds.chiipochi.promises")  # they join the script
