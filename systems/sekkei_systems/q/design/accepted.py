"""What `sekkei check` says about this design, and why it stays so."""

from __future__ import annotations

from sekkei_systems.q.design.tables import design

design.accept("R1", "AdminLogs: admin_logs", "Administrators write a few rows a day.")
design.accept(
    "R1",
    "Numbers: *",
    "Reactions to streams count there; where a key is full, the operator's page is late and nobody waits.",
)
design.accept("R3", "DailyQuestions: *", "There is one question a day.")
design.accept(
    "R3", "Answers: *", "The document's key. DynamoDB splits a hot day between people, whose ids do not rise with time."
)
design.accept("R3", "UserQuestionSubmissions: *", "A few hundred a day.")
design.accept("R21", "*", "Questions, reports and logs are small, and few change in a day.")
design.accept("R39", "unblock", "The end of a block that was written last wins.")
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
