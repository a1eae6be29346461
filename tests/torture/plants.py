"""How a fault that was planted shows itself. Which of these it is depends on where a crash happened to hit."""

from __future__ import annotations

import struct

import apsw

from sekkei.errors import DynamoDBError, NotOurFile

NOTICED = (AssertionError, DynamoDBError, NotOurFile, apsw.Error, ValueError, LookupError, struct.error)
"""Something is wrong or missing; the engine refuses to answer; the file is not even opened; what it holds is not
readable. A TypeError or the like is none of them: then the plant itself no longer fits the code."""
