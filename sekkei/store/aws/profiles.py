"""The two files in ~/.aws that the AWS CLI writes, read as the AWS CLI reads them."""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sekkei.errors import ConfigurationError

Section = Mapping[str, str]


@dataclass(frozen=True)
class Profiles:
    """Every profile by its name, its two halves merged; where both files speak, the credentials file is heard."""

    chosen: str
    named: bool
    """Somebody asked for this profile, so that it must exist."""
    sections: Mapping[str, Section] = field(repr=False)
    sso_sessions: Mapping[str, Section] = field(repr=False)
    services: Mapping[str, Section] = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str], profile: str | None = None) -> Profiles:
        config = _read(environ, "AWS_CONFIG_FILE", "config")
        credentials = _read(environ, "AWS_SHARED_CREDENTIALS_FILE", "credentials")
        sections: dict[str, dict[str, str]] = {}
        for title, section in config.items():
            kind, _, name = title.partition(" ")
            if title == "default" or kind == "profile":
                sections[name.strip(" \"'") or title] = dict(section)
        for name, section in credentials.items():
            sections.setdefault(name, {}).update(section)
        asked = profile or environ.get("AWS_PROFILE") or environ.get("AWS_DEFAULT_PROFILE")
        return cls(
            chosen=asked or "default",
            named=asked is not None,
            sections=sections,
            sso_sessions=_of_kind(config, "sso-session"),
            services=_of_kind(config, "services"),
        )

    def section(self, name: str) -> Section:
        try:
            return self.sections[name]
        except KeyError:
            raise ConfigurationError(f"the AWS profile {name!r} is in neither of the files in ~/.aws") from None

    @property
    def current(self) -> Section:
        """The chosen profile; an unnamed default may be missing."""
        return self.section(self.chosen) if self.named else self.sections.get(self.chosen, {})

    def endpoint_url(self, service: str) -> str | None:
        """The endpoint configured for one service (its section's name, such as `dynamodb`), or for all."""
        services = self.services.get(self.current.get("services", ""), {})
        for line in services.get(service, "").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "endpoint_url":
                return value.strip()
        return self.current.get("endpoint_url")


def home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


def _read(environ: Mapping[str, str], variable: str, name: str) -> dict[str, Section]:
    said = environ.get(variable)
    path = Path(said.replace("~", str(home(environ)), 1) if said.startswith("~") else said) if said else None
    path = path or home(environ) / ".aws" / name
    parser = configparser.RawConfigParser(default_section="", strict=False, delimiters=("=",))
    try:
        parser.read_string(path.read_text("utf-8"), str(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise ConfigurationError(f"{path} cannot be read: {_first_line(error)}") from None
    return {title: dict(parser[title]) for title in parser.sections()}


def _first_line(error: Exception) -> str:
    """Without the line of the file that a parser quotes: it may be a secret."""
    return str(error).splitlines()[0] if not isinstance(error, configparser.Error) else type(error).__name__


def _of_kind(config: Mapping[str, Section], kind: str) -> dict[str, Section]:
    titled = ((title.partition(" "), section) for title, section in config.items())
    return {name.strip(" \"'"): section for (start, _, name), section in titled if start == kind}
