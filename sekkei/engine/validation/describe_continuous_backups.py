"""DescribeContinuousBackups."""

from __future__ import annotations

from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.plain import only_a_table

__all__ = ["SHAPE", "rules"]

SHAPE = only_a_table("DescribeContinuousBackupsInput")
