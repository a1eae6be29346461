"""The tables as the document names them: twelve, with eleven indexes, recovery on all; what was added says so."""

from __future__ import annotations

from sekkei.runtime.deployment import Deployment
from sekkei_systems.q.design.tables import design
from tests.systems.q.conftest import World

SEED = {
    "Users": ("userId", None, {"GSI1_AppId", "email-index", "username-index"}),
    "DailyQuestions": ("date", None, set()),
    "Questions": ("questionId", None, {"GSI1_Status", "GSI2_Approved"}),
    "Answers": ("date", "userId", {"GSI1_UserHistory"}),
    "Follows": ("followerId", "followeeId", {"GSI1_Followers"}),
    "Blocks": ("blockerId", "blockedId", {"GSI1_BlockedBy"}),
    "Reactions": ("answerId", "reactorId", set()),
    "Reports": ("reportId", None, {"GSI1_Status"}),
    "UserQuestionSubmissions": ("date", "userId", set()),
    "NGWords": ("word", None, set()),
    "PushTokens": ("userId", "token", set()),
    "AdminLogs": ("pk", "sk", {"GSI1_Action", "GSI2_Admin"}),
}


def test_the_documents_tables_keys_and_indexes() -> None:
    found = {
        table.name: (table.pk, table.sk, {index.name for index in table.indexes.values() if not index.added})
        for table in design.tables.values()
        if not table.added
    }
    assert found == SEED
    assert sum(len(indexes) for _, _, indexes in found.values()) == 11


async def test_names_and_recovery_in_the_store(fair: World) -> None:
    assert isinstance(fair.deployment, Deployment)
    for table in design.tables.values():
        name = fair.db.table_name(table)
        assert name == f"dev-q-{table.name}"
        described = await fair.db.store.call("DescribeContinuousBackups", {"TableName": name})
        status = described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
        assert status["PointInTimeRecoveryStatus"] == "ENABLED"
        shape = (await fair.db.store.call("DescribeTable", {"TableName": name}))["Table"]
        assert shape["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_every_number_of_the_document_has_a_pattern() -> None:
    numbers = {pattern.number for pattern in design.patterns.values() if pattern.number}
    assert numbers == {str(number) for number in range(1, 20)}
