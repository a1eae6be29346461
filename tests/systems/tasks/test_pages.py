"""The pages, as a browser without scripts uses them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from sekkei.web.testing import Client, opened
from sekkei_systems.tasks import SYSTEM
from sekkei_systems.tasks.service import Service


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM) as found:
        await found.sign_in("demo-aoi")
        yield found


def _service(client: Client) -> Service:
    service: Service = client.shell.deployment.systems["tasks"].parts.service
    return service


async def _team(client: Client) -> str:
    made = await client.post("/tasks/teams", {"name": "ページ"})
    assert made.status == 303
    return made.location


async def _task(client: Client, team: str, **fields: str) -> str:
    assert (await client.post(f"{team}/tasks", {"title": "仕事", **fields})).status == 303
    found = re.search(rf'{team}/tasks/\w+(?=")', (await client.get(team)).text.replace(f"{team}/tasks/new", ""))
    assert found is not None
    return found[0]


async def test_a_task_is_made_shown_changed_and_deleted(client: Client) -> None:
    team = await _team(client)
    task = await _task(client, team, start="2025-11-06", end="2025-11-07", description="一行目\r\n二行目")
    shown = await client.get(task)
    assert 'value="2025-11-06"' in shown.text
    saved = await client.post(task, {"title": "新しい名", "status": "doing", "seen": "1"}, follow=True)
    assert "新しい名" in saved.text
    assert 'value="2025-11-06"' not in saved.text
    assert (await client.post(f"{task}/move", {"status": "done"})).status == 303
    await client.post(f"{task}/comments", {"text": "<b>済み</b>"})
    assert "&lt;b&gt;済み&lt;/b&gt;" in (await client.get(task)).text
    copied = await client.post(f"{task}/copy")
    assert copied.location != task
    assert (await client.post(f"{task}/delete")).location == team
    assert (await client.get(task)).status == 404
    assert (await client.get(copied.location)).status == 200


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": "x", "start": "2025-02-30"}, "存在する日付を入力してください。"),
        ({"title": "x", "start": "2025-11-07", "end": "2025-11-06"}, "終了日は開始日以降にしてください。"),
        ({"title": ""}, "入力してください。"),
        ({"title": "x", "tags": "unknown"}, "存在しないタグです。"),
        ({"title": "x" * 201}, "200文字以下にしてください。"),
    ],
)
async def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_stored(
    client: Client, fields: dict[str, str], words: str
) -> None:
    team = await _team(client)
    reply = await client.post(f"{team}/tasks", {"description": "そのまま残る", **fields})
    assert reply.status == 422
    assert words in reply.text
    assert "そのまま残る" in reply.text
    assert "task-card" not in (await client.get(team)).text


async def test_a_form_that_is_out_of_date_changes_nothing(client: Client) -> None:
    team = await _team(client)
    task = await _task(client, team)
    await client.post(task, {"title": "先の人", "seen": "1"})
    late = await client.post(task, {"title": "後の人", "seen": "1"})
    assert late.status == 412
    assert "ほかの人が先に変更しました" in late.text
    assert "先の人" in (await client.get(team)).text


async def test_the_board_shows_what_the_filter_in_the_url_says(client: Client) -> None:
    team = await _team(client)
    for title in ("りんご", "みかん"):
        await client.post(f"{team}/tasks", {"title": title})
    shown = (await client.get(f"{team}?q={quote('りんご')}")).text
    assert "りんご</a>" in shown
    assert "みかん</a>" not in shown
    assert (await client.get(f"{team}/tasks?status=later")).status == 422
    assert "みかん</a>" in (await client.get(f"{team}/tasks?status=todo")).text
    assert "みかん</a>" not in (await client.get(f"{team}/tasks?status=done")).text


async def test_a_card_that_the_filter_hides_is_not_given(client: Client) -> None:
    team = await _team(client)
    card = (await _task(client, team)).replace("/tasks/", "/cards/").replace("/cards/", "/tasks/", 1)
    assert (await client.get(card)).status == 200
    assert (await client.get(f"{card}?q={quote('ほか')}")).status == 204


async def test_the_next_cards_of_a_column(client: Client) -> None:
    team = await _team(client)
    body = "タイトル,開始日\n" + "".join(f"n{number:03},2025-01-01\n" for number in range(40))
    await _upload(client, team, body.encode())
    board = (await client.get(team)).text
    assert board.count('class="task-card') == 30
    more = re.search(r'href="([^"]+)" data-more', board)
    assert more is not None
    rest = await client.get(more[1].replace("&amp;", "&"))
    assert rest.text.count('class="task-card') == 10


async def _upload(client: Client, team: str, content: bytes) -> str:
    token = await client.token()
    boundary = "xxBOUNDARYxx"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n{token}\r\n'.encode(),
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        f"Content-Type: text/csv\r\n\r\n".encode()
        + content
        + b"\r\n",
        f"--{boundary}--\r\n".encode(),
    ]
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "text/html"}
    reply = await client.request("POST", f"{team}/import", b"".join(parts), headers)
    assert reply.status == 303
    return (await client.get(reply.location, follow=True)).text


async def test_files_go_out_and_come_in(client: Client) -> None:
    team = await _team(client)
    assert "2件を追加しました。" in await _upload(client, team, "タイトル\nい\nろ\n".encode())
    exported = await client.get(f"{team}/export.csv")
    assert exported.body.startswith(b"\xef\xbb\xbf")
    assert "attachment" in (exported.header("content-disposition") or "")
    assert "4 行目" not in await _upload(client, team, exported.body)
    assert "3 行目" in await _upload(client, team, "タイトル,開始日\nは,\nに,2025-02-30\n".encode())
    totals = await client.json("GET", f"{team.replace('/tasks/', '/tasks/api/', 1)}/totals")
    assert totals.json()["todo"] == 4


async def test_a_calendar_address_ends_with_its_renewal(client: Client) -> None:
    team = await _team(client)
    await _task(client, team, end="2025-11-07")
    found = re.search(r"http://[^<]+(/tasks/calendar/[^<]+\.ics)", (await client.get(f"{team}/settings")).text)
    assert found is not None
    stranger = client.another()
    feed = await stranger.get(found[1])
    assert (feed.status, feed.header("content-type")) == (200, "text/calendar; charset=utf-8")
    assert "SUMMARY:仕事" in feed.text
    assert (await stranger.get(found[1].replace(".ics", "0.ics"))).status == 404
    await client.post(f"{team}/calendar")
    assert (await stranger.get(found[1])).status == 404


async def test_an_invitation_from_mail_to_membership(client: Client) -> None:
    team = await _team(client)
    await client.post(f"{team}/invitations", {"email": "ren@demo.example"})
    await client.work()
    team_id = team.rpartition("/")[2]
    (listed,) = await _service(client).invitations.open("demo-aoi", team_id)
    token = _service(client).invitations.token_of(listed.invitation)
    path = f"/tasks/invitations/{team_id}/{listed.invitation.invite_id}"
    ren = client.another()
    anonymous = await ren.get(f"{path}?token={token}")
    assert "サインインして参加する" in anonymous.text
    assert anonymous.header("referrer-policy") == "same-origin", "the address is a secret"
    assert (await ren.get(f"{path}?token=forged")).status == 410
    another = (await client.get(f"{path}?token={token}")).text
    assert "ren@demo.example" in another
    assert f"/sign-in?next={quote(path, safe='')}%3Ftoken%3D{token}" in another
    assert "招待された宛先でサインインする" in another
    assert (await client.post(path, {"token": token})).status == 403
    await ren.sign_in("demo-ren")
    assert (await ren.post(path, {"token": token})).location == team
    assert (await ren.post(path, {"token": token})).location == team
    assert "鈴木 蓮" in (await client.get(f"{team}/settings")).text


async def test_the_last_admin_is_told_why_not(client: Client) -> None:
    team = await _team(client)
    left = await client.post(f"{team}/members/demo-aoi/remove", follow=True)
    assert "管理者が一人もいなくなります" in left.text
    stepped_down = await client.post(f"{team}/members/demo-aoi/role", {"role": "member"}, follow=True)
    assert "管理者が一人もいなくなります" in stepped_down.text


async def test_settings_say_what_is_wrong_in_the_form(client: Client) -> None:
    team = await _team(client)
    for path, fields, words in (
        ("invitations", {"email": "none"}, "メールアドレスの形になっていません。"),
        ("tags", {"name": "x", "color": "red"}, "色は #rrggbb の形で指定してください。"),
        ("settings", {"name": "x" * 101}, "100文字以下にしてください。"),
    ):
        reply = await client.post(f"{team}/{path}", fields)
        assert reply.status == 422
        assert words in reply.text


async def test_many_are_changed_from_the_list(client: Client) -> None:
    team = await _team(client)
    await _upload(client, team, "タイトル\nい\nろ\nは\n".encode())
    ids = re.findall(r'name="tasks" value="(\w+)"', (await client.get(f"{team}/tasks")).text)
    assert len(ids) == 3
    fields = {"tasks": ids[:2], "status": "done", "action": "change", "next": "https://evil.example/"}
    reply = await client.post(f"{team}/bulk", fields)
    assert reply.location == f"{team}/tasks"
    assert (await client.get(f"{team}/tasks?status=done")).text.count('name="tasks"') == 2
    await client.post(f"{team}/bulk", {"tasks": ids, "action": "delete"})
    assert "当てはまるタスクはありません" in (await client.get(f"{team}/tasks")).text


async def test_texts_of_people_never_become_markup(client: Client) -> None:
    made = await client.post("/tasks/teams", {"name": "<script>alert(1)</script>"})
    team = made.location
    await client.post(f"{team}/tags", {"name": "<i>t</i>", "color": "#000000"})
    await _task(client, team, title="<img src=x onerror=alert(1)>", description="</textarea><script>")
    for path in ("", "/tasks", "/settings", "/late", "/burndown"):
        text = (await client.get(team + path)).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<i>t</i>" not in text


async def test_a_renamed_account_is_renamed_in_its_teams(client: Client) -> None:
    team = await _team(client)
    await client.post("/account/name", {"name": "佐藤 あおい"})
    await client.get("/tasks/")
    await client.work()
    assert "佐藤 あおい" in (await client.get(f"{team}/settings")).text
