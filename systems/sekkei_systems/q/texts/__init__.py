"""What the client, the desk and the notices say, in Japanese and English. The section `client` is the script's."""

from __future__ import annotations

from sekkei.texts import Texts
from sekkei_systems.q.design.models import AdminAction, QuestionStatus, QuestionType, ReportStatus

say = Texts.load("sekkei_systems.q", status=QuestionStatus, report=ReportStatus, type=QuestionType, action=AdminAction)
t = say.here
