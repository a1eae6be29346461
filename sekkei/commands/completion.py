"""`sekkei completion`: what a shell needs to complete commands and options at the Tab key."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from sekkei.commands import OK

EXAMPLES = """\
examples:
  source <(sekkei completion bash)                                   in ~/.bashrc
  source <(sekkei completion zsh)                                    in ~/.zshrc, after compinit
  sekkei completion fish > ~/.config/fish/completions/sekkei.fish
"""

_BASH = """\
_sekkei() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}} $before" in
{values}
    esac
    if [ -z "$words" ]; then
      case "${{COMP_WORDS[1]}}" in
{options}
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ -n "$COMPREPLY" ] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -F _sekkei sekkei
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(arguments: argparse.Namespace) -> int:
    from importlib.metadata import entry_points

    commands = dict(_commands(arguments.top))
    further = sorted(point.name for point in entry_points(group="sekkei.commands"))
    print(fish(commands, further) if arguments.shell == "fish" else bash(commands, further, arguments.shell), end="")
    return OK


def _commands(top: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def _words(command: argparse.ArgumentParser) -> list[str]:
    """The options, and the values of what comes without one."""
    found = [option for action in command._actions for option in action.option_strings if option.startswith("--")]
    return found + [
        str(one) for action in command._actions if not action.option_strings for one in action.choices or ()
    ]


def _values(command: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    for action in command._actions:
        if action.choices and action.option_strings:
            yield action.option_strings[-1], [str(one) for one in action.choices]


def bash(commands: dict[str, argparse.ArgumentParser], further: list[str], shell: str = "bash") -> str:
    """One function; zsh runs it through its own bashcompinit."""
    values = [
        f'      "{name} {option}") words="{" ".join(found)}" ;;'
        for name, command in commands.items()
        for option, found in _values(command)
    ]
    options = [f'        {name}) words="{" ".join(_words(command))}" ;;' for name, command in commands.items()]
    filled = _BASH.format(
        commands=" ".join([*commands, *further, "--help", "--version"]),
        values="\n".join(values),
        options="\n".join(options),
    )
    return "autoload -U +X bashcompinit && bashcompinit\n" + filled if shell == "zsh" else filled


def fish(commands: dict[str, argparse.ArgumentParser], further: list[str]) -> str:
    lines = ["complete -c sekkei -f"]
    for name, command in commands.items():
        words = (command.description or "").replace("'", "\\'")
        lines.append(f"complete -c sekkei -n __fish_use_subcommand -a {name} -d '{words}'")
        inside = f"'__fish_seen_subcommand_from {name}'"
        values = dict(_values(command))
        for word in _words(command):
            if not word.startswith("--"):
                lines.append(f"complete -c sekkei -n {inside} -a {word}")
                continue
            given = f" -xa '{' '.join(values[word])}'" if word in values else ""
            lines.append(f"complete -c sekkei -n {inside} -l {word[2:]}{given}")
    lines += [f"complete -c sekkei -n __fish_use_subcommand -a {name}" for name in further]
    return "\n".join(lines) + "\n"
