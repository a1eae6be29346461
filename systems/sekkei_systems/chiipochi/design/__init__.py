"""The document as code. Everything that other rooms need of it is imported from here."""

from importlib import import_module

from sekkei_systems.chiipochi.design.models import *  # noqa: F403
from sekkei_systems.chiipochi.design.models_appeals import *  # noqa: F403
from sekkei_systems.chiipochi.design.models_books import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns_appeals import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns_books import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns_money import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns_receipts import *  # noqa: F403
from sekkei_systems.chiipochi.design.tables import *  # noqa: F403
from sekkei_systems.chiipochi.design.tables import design as design

import_module("sekkei_systems.chiipochi.design.examples")  # the document shows them
import_module("sekkei_systems.chiipochi.design.accepted")
