"""Files of `sekkei world`: what is in them is looked at before it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei import cli


@pytest.mark.parametrize(
    "content",
    [
        *("", "{}", "[]", "null", "3", "{", "\x00", "[" * 100_000, '["a"]', "[[]]"),
        '[{"seed": "x", "skip": []}]',
        '[{"seed": 1.5, "skip": []}]',
        '[{"seed": null, "skip": []}]',
        '[{"seed": true, "skip": []}]',
        '[{"skip": []}]',
        '[{"seed": 1}]',
        '[{"seed": 1, "skip": "abc"}]',
        '[{"seed": 1, "skip": [1, [2]]}]',
        '[{"seed": 1, "skip": [], "luck": "x"}]',
        '[{"seed": 1, "skip": [], "focus": "moves_money"}]',
        '[{"seed": 1, "skip": [], "focus": [1]}]',
        *(
            f'[{{"seed": 1, "skip": [], "moments": {moments}}}]'
            for moments in ("3", "[]", *(f'{{"customer-1#1": {at}}}' for at in ("NaN", "Infinity", "1e300", "-5")))
        ),
        '[{"seed": 1, "skip": [], "moments": {"customer-1#1": "soon"}}]',
        '[{"seed": 1, "skip": [], "moments": {"customer-1#1": null}}]',
    ],
    ids=lambda content: content[:60],
)
def test_a_file_that_holds_no_stories_is_refused(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "failed.json"
    file.write_text(content)
    assert cli.main(["world", "examples.worlds.tickets", "--replay", str(file)]) == 2
    assert "is no file of failed seeds: " in capsys.readouterr().err


def test_a_file_of_bytes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "failed.json"
    file.write_bytes(b"[\xff\xfe]")
    assert cli.main(["world", "examples.worlds.tickets", "--replay", str(file)]) == 2
    assert "is no file of failed seeds: " in capsys.readouterr().err


@pytest.mark.parametrize("world", ["tasks", 7])
def test_a_story_of_another_world_is_refused(world: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    file = tmp_path / "failed.json"
    file.write_text(json.dumps([{"seed": 1, "skip": [], "world": world}]))
    assert cli.main(["world", "examples.worlds.tickets", "--replay", str(file)]) == 2
    assert f"one of {world}, not of tickets" in capsys.readouterr().err
