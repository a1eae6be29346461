"""The items that the document shows."""

from __future__ import annotations

from datetime import datetime

from sekkei_systems.chiipochi.design.models import (
    Donation,
    UserState,
)
from sekkei_systems.chiipochi.design.tables import (
    donations,
    user_states,
)

user_states.example(
    UserState(
        user_id="U123456",
        awaiting_confirmation="CHIBA_pending",
        updated_at=datetime.fromisoformat("2025-08-20T05:10:00Z"),
    )
)
donations.example(
    Donation(
        user_id="U123456",
        created_at=datetime.fromisoformat("2025-08-20T05:13:10Z"),
        amount=100,
        prefecture="CHIBA",
    )
)
