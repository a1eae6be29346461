"""Where credentials come from when nobody passes any: the chain that every AWS SDK walks.

Environment variables; a web identity in the environment; the profile (a role to assume, IAM Identity Center, keys, a
process); the container's agent; EC2's metadata. The first that has something to say decides, also when it fails.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping

from sekkei.clock import Clock
from sekkei.errors import ConfigurationError, CredentialsError
from sekkei.store.aws import metadata, sso, sts
from sekkei.store.aws.credentials import Credentials
from sekkei.store.aws.fetch import parsed
from sekkei.store.aws.profiles import Profiles, Section

PROCESS_SECONDS = 60.0


class Chain:
    """Call it for credentials. It may block: for files, a process, a metadata server."""

    def __init__(
        self, environ: Mapping[str, str], profiles: Profiles, region: str, clock: Clock, *, profile_first: bool = False
    ) -> None:
        self._environ = environ
        self._profiles = profiles
        self._region = region
        self._clock = clock
        self._profile_first = profile_first
        """A profile was passed as an argument, which says more than the environment."""

    def __call__(self) -> Credentials:
        found = None
        if not self._profile_first:
            found = environment(self._environ) or self._web_identity()
        found = found or self._profile() or metadata.container(self._environ) or metadata.instance(self._environ)
        if found is None:
            raise CredentialsError(
                "no AWS credentials: not in the environment (AWS_ACCESS_KEY_ID), not in the profile "
                f"{self._profiles.chosen!r}, not from a container's agent or EC2's metadata"
            )
        return found

    def static(self) -> Credentials | None:
        """Keys that stand in the environment or in the profile; nobody else is asked for any."""
        found = None if self._profile_first else environment(self._environ)
        return found or _keys(self._profiles.current, self._profiles.chosen)

    def _profile(self) -> Credentials | None:
        chosen = self._profiles.chosen
        if not self._profiles.named and chosen not in self._profiles.sections:
            return None
        return self._of_profile(chosen, ())

    def _of_profile(self, name: str, users: tuple[str, ...]) -> Credentials | None:
        """`users` are the profiles that led here, each as the source of the one before."""
        section = self._profiles.section(name)
        if section.get("role_arn") and name not in users:
            return self._role(name, section, users)
        if section.get("sso_session") or section.get("sso_start_url"):
            return sso.role_credentials(name, self._profiles, self._environ, self._clock)
        if section.get("login_session"):
            raise CredentialsError(
                f"profile {name!r} signs in with `aws login`, which is not supported here: pass credentials=, or let "
                f"credential_process run `aws configure export-credentials --profile {name} --format process`"
            )
        return _keys(section, name) or _process(section, name)

    def _role(self, name: str, section: Section, users: tuple[str, ...]) -> Credentials:
        region = section.get("region") or self._region
        if section.get("web_identity_token_file"):
            return sts.assume_role_with_web_identity(
                section["role_arn"],
                section["web_identity_token_file"],
                section.get("role_session_name"),
                region,
                self._environ,
                self._clock,
            )
        if section.get("mfa_serial"):
            raise CredentialsError(f"profile {name!r} asks for an MFA code, which nobody can type here")
        source = section.get("source_profile")
        if source in users:
            raise ConfigurationError(f"profiles name each other as their source: {' → '.join((*users, name, source))}")
        if source:
            user = self._of_profile(source, (*users, name))
        else:
            user = self._from(section.get("credential_source"), name)
        if user is None:
            raise CredentialsError(f"profile {name!r} has a role_arn, but its source has no credentials")
        return sts.assume_role(user, section, region, self._environ, self._clock)

    def _from(self, credential_source: str | None, name: str) -> Credentials | None:
        if credential_source == "Environment":
            return environment(self._environ)
        if credential_source == "EcsContainer":
            return metadata.container(self._environ)
        if credential_source == "Ec2InstanceMetadata":
            return metadata.instance(self._environ)
        raise ConfigurationError(
            f"profile {name!r} has a role_arn, but neither source_profile nor a credential_source that is known"
        )

    def _web_identity(self) -> Credentials | None:
        token_file = self._environ.get("AWS_WEB_IDENTITY_TOKEN_FILE")
        if not token_file:
            return None
        role = self._environ.get("AWS_ROLE_ARN")
        if not role:
            raise CredentialsError("AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not")
        session_name = self._environ.get("AWS_ROLE_SESSION_NAME")
        return sts.assume_role_with_web_identity(
            role, token_file, session_name, self._region, self._environ, self._clock
        )


def environment(environ: Mapping[str, str]) -> Credentials | None:
    key, secret = environ.get("AWS_ACCESS_KEY_ID"), environ.get("AWS_SECRET_ACCESS_KEY")
    if not key and not secret:
        return None
    if not key or not secret:
        raise CredentialsError("of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set")
    return Credentials(key, secret, environ.get("AWS_SESSION_TOKEN") or None)


def _keys(section: Section, name: str) -> Credentials | None:
    key, secret = section.get("aws_access_key_id"), section.get("aws_secret_access_key")
    if not key and not secret:
        return None
    if not key or not secret:
        raise CredentialsError(f"profile {name!r} has only one of aws_access_key_id and aws_secret_access_key")
    return Credentials(key, secret, section.get("aws_session_token") or None)


def _process(section: Section, name: str) -> Credentials | None:
    """What the program in `credential_process` prints. Its standard error stays the terminal's: it may speak."""
    command = section.get("credential_process")
    if not command:
        return None
    source = f"the credential_process of profile {name!r}"
    try:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, timeout=PROCESS_SECONDS, check=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = "took too long" if isinstance(error, subprocess.TimeoutExpired) else "failed"
        raise CredentialsError(f"{source} {reason}") from None
    answer = parsed(done.stdout, source)
    if not isinstance(answer, dict) or answer.get("Version") != 1:
        raise CredentialsError(f"{source} did not print credentials of Version 1")
    return Credentials.from_json(answer, source)
