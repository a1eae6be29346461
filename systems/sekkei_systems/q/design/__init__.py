"""Q.'s design: the twelve tables of the document, what was added to them, and every access pattern."""

from sekkei_systems.q.design import examples as examples  # the document shows them
from sekkei_systems.q.design.models import *  # noqa: F403
from sekkei_systems.q.design.patterns import *  # noqa: F403
from sekkei_systems.q.design.tables import *  # noqa: F403
from sekkei_systems.q.design.tables import design as design
