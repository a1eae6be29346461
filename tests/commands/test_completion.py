"""What the shells complete is what the commands take."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from sekkei.cli import COMMANDS, main


def completed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """What bash offers for the last word."""
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    line = " ".join(f"'{word}'" for word in words)
    asked = f'{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _sekkei; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=30, check=True)
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert completed(capsys, "sekkei", "eng") == ["engine"]
    assert set(COMMANDS) <= set(completed(capsys, "sekkei", ""))
    assert completed(capsys, "sekkei", "engine", "--mem") == ["--memory"]
    assert completed(capsys, "sekkei", "engine", "--weather", "st") == ["storm"]
    assert completed(capsys, "sekkei", "tables", "ap") == ["apply"]
    assert "lessons" in completed(capsys, "sekkei", "les")


def test_zsh_and_fish_have_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload -U +X bashcompinit")
    assert main(["completion", "fish"]) == 0
    text = capsys.readouterr().out
    assert "complete -c sekkei -n '__fish_seen_subcommand_from engine' -l weather -xa 'clear fog drizzle storm'" in text
    for command in COMMANDS:
        assert f"-a {command} " in text
