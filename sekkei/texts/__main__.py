"""`make texts`: writes `texts/keys.py` of the packages that are named, so that mypy knows their keys."""

from __future__ import annotations

import sys

from sekkei.texts import DEFAULT, folder_of, read
from sekkei.texts.checks import CLIENT

_HEAD = '''"""Written by `make texts` out of {language}.toml; the keys that `say` and `t` take."""

from __future__ import annotations

from typing import Literal

Key = Literal[
'''


def keys_file(package: str) -> str:
    """What `texts/keys.py` of a package must hold; a script's own section is not for `say`."""
    keys = sorted(key for key in read(folder_of(package) / f"{DEFAULT}.toml") if not key.startswith(CLIENT))
    return _HEAD.format(language=DEFAULT) + "".join(f'    "{key}",\n' for key in keys) + "]\n"


def main(packages: list[str]) -> None:
    for package in packages:
        folder = folder_of(package)
        if (folder / f"{DEFAULT}.toml").exists():
            (folder / "keys.py").write_text(keys_file(package), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
