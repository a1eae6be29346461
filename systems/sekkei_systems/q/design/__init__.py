"""Q.'s design: the twelve tables of the document, what was added to them, and every access pattern."""

from importlib import import_module

from sekkei_systems.q.design.models import *  # noqa: F403
from sekkei_systems.q.design.models_added import *  # noqa: F403
from sekkei_systems.q.design.models_growth import *  # noqa: F403
from sekkei_systems.q.design.models_numbers import *  # noqa: F403
from sekkei_systems.q.design.patterns import *  # noqa: F403
from sekkei_systems.q.design.patterns_added import *  # noqa: F403
from sekkei_systems.q.design.patterns_safety import *  # noqa: F403
from sekkei_systems.q.design.tables import *  # noqa: F403
from sekkei_systems.q.design.tables import design as design
from sekkei_systems.q.design.tables_added import *  # noqa: F403
from sekkei_systems.q.design.tables_growth import *  # noqa: F403
from sekkei_systems.q.design.tables_numbers import *  # noqa: F403

import_module("sekkei_systems.q.design.examples")  # the document shows them
import_module("sekkei_systems.q.design.accepted")
