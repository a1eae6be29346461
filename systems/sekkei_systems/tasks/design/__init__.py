"""The document as code: what is stored, in which tables, and how it is found."""

from importlib import import_module

from sekkei_systems.tasks.design.models import *  # noqa: F403
from sekkei_systems.tasks.design.patterns import *  # noqa: F403
from sekkei_systems.tasks.design.tables import *  # noqa: F403
from sekkei_systems.tasks.design.tables import design as design

import_module("sekkei_systems.tasks.design.examples")  # the document shows them
import_module("sekkei_systems.tasks.design.accepted")
