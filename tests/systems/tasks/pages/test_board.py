"""The board: its filter, single cards, further cards."""

from __future__ import annotations

import re
from urllib.parse import quote

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team, upload


async def test_the_board_shows_what_the_filter_in_the_url_says(client: Client) -> None:
    team = await new_team(client)
    for title in ("りんご", "みかん"):
        await client.post(f"{team}/tasks", {"title": title})
    shown = (await client.get(f"{team}?q={quote('りんご')}")).text
    assert "りんご</a>" in shown
    assert "みかん</a>" not in shown
    assert (await client.get(f"{team}/tasks?status=later")).status == 422
    assert "みかん</a>" in (await client.get(f"{team}/tasks?status=todo")).text
    assert "みかん</a>" not in (await client.get(f"{team}/tasks?status=done")).text


async def test_a_card_that_the_filter_hides_is_not_given(client: Client) -> None:
    team = await new_team(client)
    card = (await new_task(client, team)).replace("/tasks/", "/cards/").replace("/cards/", "/tasks/", 1)
    assert (await client.get(card)).status == 200
    assert (await client.get(f"{card}?q={quote('ほか')}")).status == 204


async def test_the_next_cards_of_a_column(client: Client) -> None:
    team = await new_team(client)
    body = "タイトル,開始日\n" + "".join(f"n{number:03},2025-01-01\n" for number in range(40))
    await upload(client, team, body.encode())
    board = (await client.get(team)).text
    assert board.count('class="task-card') == 12
    more = re.search(r'href="([^"]+)" data-more', board)
    assert more is not None
    rest = await client.get(more[1].replace("&amp;", "&"))
    assert rest.text.count('class="task-card') == 28


async def test_a_line_without_a_script(client: Client) -> None:
    team = await new_team(client)
    done = await client.post(f"{team}/quick", {"text": "買い物 2031-01-02", "status": "doing"}, follow=True)
    assert "買い物" in done.text
    assert "2031-01-02" not in done.text
    assert "入力してください" in (await client.post(f"{team}/quick", {"text": " "}, follow=True)).text
