"""The operator's pages."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest

from sekkei.design import Change, Reactions
from sekkei.runtime import days
from sekkei.runtime.design import Message, State
from sekkei.runtime.jobs import Job, Progress
from sekkei.runtime.outbox import Undeliverable
from sekkei.runtime.pump import ATTEMPTS_MAX
from sekkei.runtime.receipts import cutting
from sekkei.runtime.system import Context, Parts, System
from sekkei.web.console import linked, searching
from sekkei.web.console.rows import plain
from sekkei.web.testing import Client, opened, test_settings
from tests.web.example import SYSTEM
from tests.web.example.design import Note, design, notes

broken = True


def build(ctx: Context) -> Parts:
    reactions = Reactions(design)

    @reactions.on(notes)
    async def react(change: Change[Note]) -> None:
        if broken:
            raise RuntimeError("not yet")

    async def step(payload: Mapping[str, Any], cursor: str | None) -> Progress:
        return Progress(7)

    return Parts(reactions=[reactions], jobs={"recount": Job([("count", step)])}, recurring={"nightly": "5 0 * * *"})


async def no_demo(ctx: Context, parts: Parts) -> None:
    pass


FAILING = System("failing", {"ja": "x", "en": "x"}, {"ja": "x", "en": "x"}, design, build, no_demo)


async def put_mail(client: Client, **body: str) -> None:
    await client.shell.outbox.put("mail", "mei@demo.example", body, id=body["subject"])


async def test_a_token_of_an_operator_does_not_open_the_console() -> None:
    """It is for the APIs; the outbox has the codes that everybody signs in with."""
    settings = test_settings(demo=False, values={"operators": "boss@example.com"})
    async with opened(SYSTEM, settings=settings) as client:
        account = await client.sign_in_by_email("boss@example.com")
        assert (await client.get("/console/outbox")).status == 200
        program = client.another()
        program.bearer = await client.shell.accounts.make_token(account, "a program")
        assert (await program.get("/console/outbox")).status == 403


async def test_a_mail_can_be_read_in_the_outbox() -> None:
    async with opened(SYSTEM) as client:
        assert "まだ何もありません" in (await client.get("/console/outbox")).text
        await put_mail(client, subject="招待/1", text="こちら: http://127.0.0.1:8000/x?a=1&b=2 です")
        shown = await client.get("/console/outbox")
        assert "送信待ち" in shown.text
        await client.work()
        shown = await client.get("/console/outbox")
        assert "送信済み" in shown.text
        found = re.search(r'href="(/console/outbox/message[^"]+)"', shown.text)
        assert found is not None
        message = await client.get(found[1].replace("&amp;", "&"))
        assert '<a href="http://127.0.0.1:8000/x?a=1&amp;b=2"' in message.text
        assert (await client.get("/console/outbox/message?id=nothing")).status == 404


async def test_html_of_a_mail_can_do_nothing() -> None:
    async with opened(SYSTEM) as client:
        await put_mail(client, subject="s", html="<script>steal()</script><b>hi</b>")
        reply = await client.get("/console/outbox/html?id=web/s")
        policy = reply.header("content-security-policy") or ""
        assert policy.startswith("sandbox allow-popups ")
        assert "allow-scripts" not in policy
        assert "default-src 'none'" in policy
        assert reply.header("x-frame-options") == "SAMEORIGIN"


async def test_pages_of_the_outbox() -> None:
    async with opened(SYSTEM) as client:
        for number in range(60):
            await put_mail(client, subject=f"m{number:02d}")
        first = (await client.get("/console/outbox")).text
        found = re.search(r'rel="next" href="([^"]+)"', first)
        assert found is not None
        second = (await client.get("/console/outbox" + found[1])).text
        subjects = re.findall(r">m(\d\d)<", first + second)
        assert sorted(map(int, subjects)) == list(range(60))


async def test_the_document_of_a_design_can_be_read_and_loads_nothing() -> None:
    async with opened(SYSTEM) as client:
        assert 'href="/console/designs/example"' in (await client.get("/")).text
        shown = await client.get("/console/designs/example")
        assert "example-notes" in shown.text
        assert '<html lang="ja">' in shown.text
        assert '<html lang="en">' in (await client.get("/console/designs/example?lang=en")).text
        style = re.search(r"<style>(.*)</style>", shown.text, re.DOTALL)
        assert style is not None
        digest = b64encode(sha256(style[1].encode()).digest()).decode()
        policy = shown.header("content-security-policy") or ""
        assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
        assert (await client.get("/console/designs/nothing")).status == 404


async def test_tables_and_items_by_page_key_and_index() -> None:
    async with opened(SYSTEM, demo=True) as client:
        db = client.shell.deployment.systems["example"].context.db
        for number in range(60):
            await db.write(notes.create(Note(owner="someone", id=f"{number:02d}", text="<b>x</b>")))
        listed = (await client.get("/console/tables")).text
        for name in ("example-notes", "sekkei-runtime", "sekkei-web"):
            assert f'href="/console/tables/{name}"' in listed
        seen: list[str] = []
        path = "/console/tables/example-notes?key=OWNER%23someone"
        while path:
            shown = (await client.get(path)).text
            assert "<b>x</b>" not in shown
            seen += re.findall(r"<code>NOTE#(\d\d)</code>", shown)
            found = re.search(r'rel="next" href="([^"]+)"', shown)
            path = "/console/tables/example-notes" + found[1].replace("&amp;", "&") if found else ""
        assert seen == [f"{number:02d}" for number in range(60)]
        assert "OUTBOX" not in (await client.get("/console/tables/sekkei-runtime?index=listed")).text
        assert (await client.get("/console/tables/sekkei-runtime?index=due")).status == 200
        for path in ("/console/tables/nothing", "/console/tables/x", "/console/tables/example-notes?index=none"):
            assert (await client.get(path)).status == 404
        assert (await client.get("/console/tables/example-notes?after=forged")).status == 400


def test_values_without_their_types() -> None:
    value = {"M": {"a": {"L": [{"N": "1"}, {"NULL": True}]}, "b": {"SS": ["x"]}, "c": {"BOOL": False}}}
    assert plain(value) == {"a": ["1", None], "b": ["x"], "c": False}


def test_only_addresses_of_pages_become_links() -> None:
    text = linked('<i> https://a.example/x"y javascript:alert(1) （http://b.example）')
    assert text.count("<a ") == 2
    assert "<i>" not in text
    assert 'href="https://a.example/x"' in text
    assert 'href="http://b.example"' in text


async def test_schedules_and_jobs_are_listed() -> None:
    async with opened(FAILING) as client:
        context = client.shell.deployment.systems["failing"].context
        at = days.now(client.shell.clock) + timedelta(days=2)
        await context.schedules.put("failing/later", "nightly", {"team": "t1"}, at=at)
        await context.jobs.start("recount", {}, id="recount-1")
        schedules = (await client.get("/console/schedules")).text
        assert "failing/later" in schedules
        assert "t1" in schedules
        assert "作業中" in (await client.get("/console/jobs")).text
        await client.work()
        jobs = (await client.get("/console/jobs")).text
        assert "完了" in jobs
        assert ">7<" in jobs


async def test_a_record_that_was_set_aside_is_shown_and_handed_over_again() -> None:
    global broken
    async with opened(FAILING) as client:
        broken = True
        assert "処理できなかったものはありません" in (await client.get("/console/aside")).text
        context = client.shell.deployment.systems["failing"].context
        await context.db.write(notes.create(Note(owner="o", id="1", text="poison")))
        for _ in range(ATTEMPTS_MAX + 1):
            await client.work()
        shown = (await client.get("/console/aside")).text
        assert "RuntimeError: not yet (test_console.py:" in shown
        assert ", react)" in shown
        assert "poison" in shown
        record = chosen(shown)
        still = (await client.post("/console/aside/retry", record, follow=True)).text
        assert "まだ失敗します" in still
        assert f"試行回数 {ATTEMPTS_MAX + 1} " in still
        for asked, there in (
            ("poison", True),
            ("poison+wine", False),
            ("&system=failing", True),
            ("&system=web", False),
        ):
            found = (await client.get(f"/console/aside?kind=record&q={asked}")).text
            assert ("RuntimeError: not yet" in found) is there, asked
            assert ("見つかりませんでした" in found or "ありません" in found) is not there
        broken = False
        assert "うまくいきました" in (await client.post("/console/aside/retry", record, follow=True)).text
        for what in ("retry", "drop"):
            assert (await client.post(f"/console/aside/{what}", record)).status == 404


def chosen(shown: str) -> dict[str, str]:
    """What the first of the forms on the page would send."""
    kind, id = re.findall(r'name="(?:kind|id)" value="([^"]+)"', shown.partition("/console/aside/retry")[2])[:2]
    return {"kind": kind, "id": id}


class Refusing:
    async def send(self, message: Message) -> str:
        raise Undeliverable("550 no such user")


async def test_a_message_that_could_not_go_out_says_why_and_is_tried_again_or_dropped() -> None:
    async with opened(FAILING) as client:
        worker = client.shell.deployment.worker
        worker.delivery._transports["mail"] = Refusing()
        for subject in ("招待", "知らせ"):
            await put_mail(client, subject=subject)
        await client.work()
        shown = (await client.get("/console/aside")).text
        assert "Undeliverable: 550 no such user" in shown
        assert "招待" in shown
        message = {"kind": "message", "id": "web/招待"}
        assert "もう一度試す" in (await client.get("/console/outbox/message?id=" + quote("web/招待"))).text
        assert "もう一度試すことにしました" in (await client.post("/console/aside/retry", message, follow=True)).text
        assert (await client.post("/console/aside/retry", message)).status == 404, "it is under way already"
        del worker.delivery._transports["mail"]
        await client.work()
        kept = await client.shell.outbox.get("招待")
        assert kept is not None
        assert kept.state is State.SENT
        dropped = {"kind": "message", "id": "web/知らせ"}
        assert "取りやめました" in (await client.post("/console/aside/drop", dropped, follow=True)).text
        await client.work()
        kept = await client.shell.outbox.get("知らせ")
        assert kept is not None
        assert kept.state is State.DROPPED
        assert not await client.shell.outbox.put("mail", "x", {}, id="知らせ"), "its reason is not given once more"
        assert "処理できなかったものはありません" in (await client.get("/console/aside")).text
        assert (await client.get("/console/aside?kind=nothing")).status == 404


async def test_an_alarm_is_shown_with_what_to_do_and_ends_when_somebody_has_seen_to_it() -> None:
    async with opened(SYSTEM) as client:
        assert "鳴っている警報はありません" in (await client.get("/console/alarms")).text
        await client.shell.deployment.worker.alarms.ring("outbox/line", "Credentials are not accepted: <401>")
        shown = (await client.get("/console/alarms")).text
        assert "送信先に認証情報を拒否されました" in shown
        assert "Credentials are not accepted: &lt;401&gt;" in shown
        assert (await client.post("/console/alarms/end", {"name": "outbox/line"})).status == 303
        assert "鳴っている警報はありません" in (await client.get("/console/alarms")).text
        assert (await client.post("/console/alarms/end", {"name": "outbox/line"})).status == 404


async def test_a_way_out_that_rests_is_shown() -> None:
    async with opened(SYSTEM) as client:
        delivery = client.shell.deployment.worker.delivery
        delivery._transports["line"] = delivery._local
        await delivery._hold("line", 600, "LINE asks for patience")
        assert "LINE asks for patience" in (await client.get("/console/alarms")).text


async def test_words_and_states_are_searched_for() -> None:
    async with opened(FAILING) as client:
        for number in range(60):
            await put_mail(client, subject=f"m{number:02d}")
        await put_mail(client, subject="招待")
        await client.shell.deployment.systems["failing"].context.jobs.start("recount", {}, id="recount-1")
        found = (await client.get("/console/outbox?q=" + quote("招待 mei@"))).text
        assert ">招待<" in found
        assert ">m00<" not in found
        assert ">m07<" in (await client.get("/console/outbox?q=M07")).text
        assert "まだ何もありません" in (await client.get("/console/outbox?state=failed")).text
        assert ">m07<" in (await client.get("/console/outbox?state=queued&q=m07")).text
        assert "recount-1" in (await client.get("/console/jobs?q=recount&state=running")).text
        assert "recount-1" not in (await client.get("/console/jobs?state=finished")).text
        assert (await client.get("/console/schedules?q=nothing")).status == 200


async def test_a_search_ends_after_some_pages_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SEARCHED_A_PAGE", 5)
    monkeypatch.setattr(searching, "PAGES_MAX", 2)
    async with opened(FAILING) as client:
        for number in range(25):
            await put_mail(client, subject=f"m{number:02d}")
        path, seen = "/console/outbox?q=m00", 0
        while path:
            shown = (await client.get(path)).text
            seen += ">m00<" in shown
            more = re.search(r'rel="next" href="([^"]+)"', shown)
            path = "/console/outbox" + more[1].replace("&amp;", "&") if more else ""
        assert seen == 1


async def test_a_job_that_always_fails_can_be_stopped_and_tried_again() -> None:
    def build(ctx: Context) -> Parts:
        async def step(payload: Mapping[str, Any], cursor: str | None) -> Progress:
            raise RuntimeError("always")

        return Parts(jobs={"recount": Job([("count", step)])})

    failing = System("failing", {"ja": "x", "en": "x"}, {"ja": "x", "en": "x"}, design, build, no_demo)
    async with opened(failing) as client:
        jobs = client.shell.deployment.systems["failing"].context.jobs
        await jobs.start("recount", {}, id="1")
        assert "止める" not in (await client.get("/console/jobs")).text, "it has not failed yet"
        assert (await client.post("/console/jobs/stop", {"id": "failing/1"})).status == 404
        await client.shell.deployment.worker.work_on_jobs()
        assert "止める" in (await client.get("/console/jobs")).text
        assert (await client.post("/console/jobs/stop", {"id": "failing/1"})).status == 303
        assert "failing/1" in (await client.get("/console/aside?kind=job")).text
        await client.post("/console/aside/retry", {"kind": "job", "id": "failing/1"})
        run = await jobs.get("1")
        assert run is not None
        assert (run.due_pk, run.attempts) == ("JOB", 0)


async def test_a_receipt_says_what_it_is() -> None:
    async with opened(SYSTEM) as client:
        await put_mail(client, subject="1", text="secret text")
        await client.work()
        await client.shell.deployment.runtime.write(cutting("web/1"))
        shown = (await client.get("/console/outbox/message?id=web%2F1")).text
        assert "送信の記録です" in shown
        assert "secret text" not in shown
        assert "web/1" in (await client.get("/console/outbox")).text
