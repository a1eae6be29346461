"""Access patterns of appeals."""

from __future__ import annotations

from sekkei.design import Query, Transaction
from sekkei_systems.chiipochi.design.models_appeals import Appeal, AppealChange, AppealSum, Wording
from sekkei_systems.chiipochi.design.tables import appeal_changes, appeal_sums, appeals, design, wordings


@design.pattern(ja="呼びかけの一覧", added=True)
def all_appeals() -> Query[Appeal]:
    """Appeals, also those that are over."""
    return appeals.where()


@design.pattern(ja="呼びかけごとの金額", added=True)
def all_appeal_sums() -> Query[AppealSum]:
    """What appeals have raised."""
    return appeal_sums.where()


@design.pattern(ja="変更の記録（新しい順）", added=True, page=20)
def changes_of_appeals() -> Query[AppealChange]:
    """Who changed what, newest first."""
    return appeal_changes.where().backwards()


@design.pattern(ja="呼びかけを保存", added=True)
def keep_appeal(appeal: Appeal, change: AppealChange) -> Transaction:
    """An appeal and the record of its change, if nobody else has changed it since it was read."""
    before = appeal.version - 1
    put = appeals.create(appeal) if before == 0 else appeals.put(appeal).when(Appeal.version == before)
    return Transaction(put, appeal_changes.create(change))


@design.pattern(ja="運営者の文言の一覧", added=True)
def all_wordings() -> Query[Wording]:
    """What operators have the bot say instead of its own words."""
    return wordings.where()


@design.pattern(ja="文言を保存", added=True)
def keep_wording(wording: Wording, change: AppealChange) -> Transaction:
    """A text and the record of its change, if nobody else has changed it since it was read."""
    before = wording.version - 1
    put = wordings.create(wording) if before == 0 else wordings.put(wording).when(Wording.version == before)
    return Transaction(put, appeal_changes.create(change))
