"""Where an export goes and an import comes from: a bucket is a folder, an object's key a path inside it.

A bucket's folder lies directly under the engine's `s3_folder`, and nothing outside it is ever read or written.
"""

from __future__ import annotations

import os
from pathlib import Path

from sekkei import private
from sekkei.engine.settings import Settings
from sekkei.errors import ValidationException


class Bucket:
    """One bucket's folder."""

    def __init__(self, settings: Settings, name: str) -> None:
        if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
            raise ValidationException(f"Invalid S3 bucket name: {name}")
        self.root = Path(os.path.realpath(settings.s3_folder / name))

    @property
    def exists(self) -> bool:
        return self.root.is_dir()

    def path(self, key: str) -> Path:
        """The file of a key, which may not lead out of the bucket by dots, by a root or by a symbolic link."""
        path = Path(os.path.realpath(self.root / key)) if "\0" not in key else None
        if path is None or path == self.root or not path.is_relative_to(self.root):
            raise ValidationException(f"Invalid S3 key: {key}")
        return path

    def write(self, key: str, content: bytes) -> None:
        """All of the file or nothing of it, on disk before this returns."""
        path = self.path(key)
        private.make_folder(path.parent)
        partial = path.with_name(path.name + ".partial")
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with a prefix, in order. Symbolic links are no objects."""
        found = []
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = Path(folder, name)
                key = path.relative_to(self.root).as_posix()
                if key.startswith(prefix) and not path.is_symlink() and not name.endswith(".partial"):
                    found.append(key)
        return sorted(found)


def joined(prefix: str | None, key: str) -> str:
    """A key under the prefix that a request gives."""
    prefix = (prefix or "").strip("/")
    return f"{prefix}/{key}" if prefix else key
