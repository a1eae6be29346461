"""The old address of `sekkei.errors`."""

from sekkei.errors import *  # noqa: F403
