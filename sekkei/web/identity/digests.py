"""Secrets as they are stored."""

from __future__ import annotations

import hashlib


def digest(secret: str) -> str:
    """A secret of 256 random bits needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
