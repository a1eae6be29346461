"""The document as code: what is stored, where, and how it is asked for."""

from importlib import import_module

from sekkei_systems.eventbot.design.crowds import *  # noqa: F403
from sekkei_systems.eventbot.design.models import *  # noqa: F403
from sekkei_systems.eventbot.design.options import *  # noqa: F403
from sekkei_systems.eventbot.design.patterns import *  # noqa: F403
from sekkei_systems.eventbot.design.tables import *  # noqa: F403
from sekkei_systems.eventbot.design.tables import design as design

import_module("sekkei_systems.eventbot.design.examples")  # the document shows them
import_module("sekkei_systems.eventbot.design.accepted")
