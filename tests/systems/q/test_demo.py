"""The demo data: something in every table, and nothing that the rules of Q. would not let anybody say."""

from __future__ import annotations

import pytest

from sekkei.web.testing import opened
from sekkei.web.testing import test_settings as settings_of_tests
from sekkei_systems.q.demo.words import ANSWERS, BIOS, FLAGGED, OLD_ANSWERS, PROPOSALS, QUESTIONS, TODAY, YEAR_AGO
from sekkei_systems.q.design.tables import design
from sekkei_systems.q.refusals import NameReserved
from sekkei_systems.q.rules import writing
from sekkei_systems.q.service.people import Profile
from sekkei_systems.q.system import SYSTEM
from tests.systems.q.named import ByName


async def test_every_table_has_something_in_it() -> None:
    """Also where people have to agree to terms."""
    terms = {"q_terms_version": "1", "q_terms_url": "/terms", "q_privacy_url": "/privacy"}
    async with opened(SYSTEM, demo=True, settings=settings_of_tests(values=terms)) as client:
        q = client.shell.deployment.systems["q"]
        counts = {}
        for table in design.tables.values():
            name = design.table_name(table, q.context.settings.env)
            counts[name] = (await q.context.store.call("Scan", {"TableName": name, "Select": "COUNT"}))["Count"]
        assert [name for name, count in counts.items() if count == 0] == []
        service = ByName(q.parts.service)
        assert (await service.timelines.show("demo-aoi")).locked
        await service.answers.answer("demo-aoi", "冬の朝の、白い息")
        timeline = await service.timelines.show("demo-aoi", size=50)
        said = [entry.answer.text for entry in timeline.entries]
        assert len(said) >= 10
        assert len(set(said)) == len(said)
        back = await service.answers.look_back("demo-aoi")
        assert back.streak >= 5
        assert back.year_ago is not None
        assert (await service.answers.history("demo-aoi", "demo-aoi")).items
        assert (await service.submissions.candidates("demo-aoi"))[0][0].votes > 0
        await client.work()
        shown = await service.numbers.show("demo-aoi")
        stayed = [row for row in shown.cohorts if row.joined and any(row.people)]
        assert len(stayed) >= 2  # there is something to see on the page of numbers
        with pytest.raises(NameReserved):  # an administrator's
            await service.people.change("demo-ren", Profile(display_name="佐藤　葵"))


def test_what_they_say_is_allowed() -> None:
    said = [text for _, texts in (*OLD_ANSWERS, YEAR_AGO) for text in texts]
    for text in (*ANSWERS, *said, *FLAGGED):
        assert writing.text_of(text, writing.ANSWER_MAX, "text") == text
    for text in (TODAY, *QUESTIONS, *PROPOSALS, YEAR_AGO[0], *(text for text, _ in OLD_ANSWERS)):
        assert writing.text_of(text, writing.QUESTION_MAX, "text") == text
    for text in BIOS:
        assert writing.text_of(text, writing.BIO_MAX, "bio", lines=True) == text
