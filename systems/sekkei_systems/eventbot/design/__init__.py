"""The document as code: what is stored, where, and how it is asked for."""

from sekkei_systems.eventbot.design.models import *  # noqa: F403
from sekkei_systems.eventbot.design.patterns import *  # noqa: F403
from sekkei_systems.eventbot.design.tables import *  # noqa: F403
from sekkei_systems.eventbot.design.tables import design as design
