"""The document as code: what is stored, in which tables, and how it is asked for."""

from importlib import import_module

from sekkei_systems.lessons.design.models import *  # noqa: F403  # noqa: F403
from sekkei_systems.lessons.design.patterns import *  # noqa: F403
from sekkei_systems.lessons.design.tables import *  # noqa: F403
from sekkei_systems.lessons.design.tables import design as design

import_module("sekkei_systems.lessons.design.examples")  # the document shows them
import_module("sekkei_systems.lessons.design.accepted")
