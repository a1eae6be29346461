"""The document as code. Everything that other rooms need of it is imported from here."""

from sekkei_systems.chiipochi.design.models import *  # noqa: F403
from sekkei_systems.chiipochi.design.patterns import *  # noqa: F403
from sekkei_systems.chiipochi.design.tables import *  # noqa: F403
from sekkei_systems.chiipochi.design.tables import design as design
