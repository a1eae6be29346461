"""Every source of credentials, against files in a temporary home and a metadata server that is a thread."""

from __future__ import annotations

import asyncio
import hashlib
import http.server
import json
import logging
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from sekkei.clock import ManualClock
from sekkei.errors import ConfigurationError, CredentialsError
from sekkei.store.aws.credentials import HOLD_SECONDS, RENEW_SECONDS, Chain, Credentials, Keyring, seconds_of
from sekkei.store.aws.settings import Profiles
from sekkei.wire import sigv4


class Source:
    """Gives credentials numbered in turn, which last `seconds`."""

    def __init__(self, clock: ManualClock, seconds: float | None) -> None:
        self.clock = clock
        self.seconds = seconds
        self.given = 0
        self.failing = False
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self) -> Credentials:
        self.gate.wait(5)
        if self.failing:
            raise CredentialsError("out of order")
        self.given += 1
        expires_at = None if self.seconds is None else self.clock.now() + self.seconds
        return Credentials(f"K{self.given}", "s", None, expires_at)


async def settled(keyring: Keyring) -> None:
    await asyncio.gather(*keyring._renewals.values(), return_exceptions=True)


async def test_keys_that_do_not_expire_are_asked_for_once():
    clock = ManualClock()
    source = Source(clock, None)
    keyring = Keyring(source, clock)
    assert {(await keyring.credentials()).access_key for _ in range(5)} == {"K1"}
    assert source.given == 1


async def test_everybody_who_comes_at_once_waits_for_one_renewal():
    clock = ManualClock()
    source = Source(clock, 3600)
    source.gate.clear()
    keyring = Keyring(source, clock)
    waiting = asyncio.gather(*[keyring.credentials() for _ in range(50)])
    await asyncio.sleep(0)
    source.gate.set()
    assert {found.access_key for found in await waiting} == {"K1"}
    assert source.given == 1


async def test_credentials_are_renewed_behind_the_callers_back_before_they_expire():
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    await keyring.credentials()
    clock.advance(3600 - RENEW_SECONDS + 1)
    source.gate.clear()
    assert (await keyring.credentials()).access_key == "K1"
    source.gate.set()
    await settled(keyring)
    assert (await keyring.credentials()).access_key == "K2"
    assert source.given == 2


async def test_credentials_about_to_expire_are_not_used():
    clock = ManualClock()
    keyring = Keyring(Source(clock, 3600), clock)
    await keyring.credentials()
    clock.advance(3600 - HOLD_SECONDS + 1)
    assert (await keyring.credentials()).access_key == "K2"


async def test_a_renewal_that_fails_is_logged_and_the_old_credentials_stay(caplog):
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    await keyring.credentials()
    clock.advance(3600 - RENEW_SECONDS + 1)
    source.failing = True
    with caplog.at_level(logging.WARNING, "sekkei.store"):
        assert (await keyring.credentials()).access_key == "K1"
        await settled(keyring)
        await asyncio.sleep(0)
    assert "out of order" in caplog.text
    clock.advance(RENEW_SECONDS)
    with pytest.raises(CredentialsError, match="out of order"):
        await keyring.credentials()


async def test_a_source_that_repeats_itself_is_not_asked_all_the_time():
    clock = ManualClock()
    source = Source(clock, RENEW_SECONDS - 10)
    keyring = Keyring(source, clock)
    for _ in range(10):
        await keyring.credentials()
        await settled(keyring)
    assert source.given == 1
    clock.advance(61)
    for _ in range(10):
        await keyring.credentials()
        await settled(keyring)
    assert source.given == 2


async def test_a_caller_who_goes_away_does_not_take_the_renewal_along():
    clock = ManualClock()
    source = Source(clock, 3600)
    source.gate.clear()
    keyring = Keyring(source, clock)
    impatient = asyncio.create_task(keyring.credentials())
    patient = asyncio.create_task(keyring.credentials())
    await asyncio.sleep(0)
    impatient.cancel()
    source.gate.set()
    assert (await patient).access_key == "K1"
    assert impatient.cancelled()


async def test_loops_in_several_threads_share_what_was_found():
    clock = ManualClock()
    source = Source(clock, 3600)
    keyring = Keyring(source, clock)
    found = await asyncio.gather(
        *[asyncio.to_thread(lambda: asyncio.run(keyring.credentials())) for _ in range(4)], keyring.credentials()
    )
    assert {credentials.access_key for credentials in found} == {"K1"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2023-11-14T22:13:20Z", 1_700_000_000),
        ("2023-11-14T22:13:20+00:00", 1_700_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000),
        ("2023-11-15T07:13:20.500+09:00", 1_700_000_000.5),
    ],
)
def test_times_are_read(text, seconds):
    assert seconds_of(text, "x") == seconds


def test_what_is_no_time_is_refused():
    with pytest.raises(CredentialsError, match="not a time"):
        seconds_of("tomorrow", "the agent")


NOW = 1_700_000_000.0
LATER = "2023-11-14T23:13:20Z"
LATER_SECONDS = NOW + 3600
KEYS = {"AccessKeyId": "ASIA1", "SecretAccessKey": "s1", "Token": "t1", "Expiration": LATER}
FOUND = Credentials("ASIA1", "s1", "t1", LATER_SECONDS)
STS_ANSWER = f"""<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Result><Credentials>
<AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s1</SecretAccessKey><SessionToken>t1</SessionToken>
<Expiration>{LATER}</Expiration></Credentials></Result></AssumeRoleResponse>"""


@dataclass
class Metadata:
    """Answers (method, path) as told; anything else is 404."""

    url: str = ""
    answers: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    def answer(self, method: str, path: str, content: object, status: int = 200) -> None:
        self.answers[method, path] = (status, content if isinstance(content, str) else json.dumps(content))


@pytest.fixture
def metadata():
    state = Metadata()

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            state.asked.append((self.command, self.path, dict(self.headers), body))
            status, text = state.answers.get((self.command, urlsplit(self.path).path), (404, ""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def chain(tmp_path: Path):
    (tmp_path / ".aws").mkdir()

    def make(config: str = "", credentials: str = "", profile: str | None = None, **environ: str) -> Chain:
        (tmp_path / ".aws" / "config").write_text(config)
        (tmp_path / ".aws" / "credentials").write_text(credentials)
        settings = {"HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true", **environ}
        profiles = Profiles.load(settings, profile)
        return Chain(settings, profiles, "eu-west-1", ManualClock(NOW), profile_first=profile is not None)

    return make


# --- the environment and keys in files --------------------------------------------------------------------------------


def test_the_environment_comes_first(chain):
    both = chain(
        credentials="[default]\naws_access_key_id = F\naws_secret_access_key = fs\n",
        AWS_ACCESS_KEY_ID="E",
        AWS_SECRET_ACCESS_KEY="es",
        AWS_SESSION_TOKEN="et",
    )
    assert both() == Credentials("E", "es", "et")


def test_half_a_pair_is_an_error(chain):
    with pytest.raises(CredentialsError, match="only one"):
        chain(AWS_ACCESS_KEY_ID="E")()
    with pytest.raises(CredentialsError, match="only one"):
        chain(credentials="[default]\naws_secret_access_key = x\n")()


def test_a_profile_that_is_named_says_more_than_the_environment(chain):
    files = "[work]\naws_access_key_id = W\naws_secret_access_key = ws\naws_session_token = wt\n"
    assert chain(credentials=files, AWS_PROFILE="work")() == Credentials("W", "ws", "wt")
    environ = {"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "es"}
    assert chain(credentials=files, profile="work", **environ)() == Credentials("W", "ws", "wt")


def test_a_profile_may_stand_in_either_file_and_the_credentials_file_wins(chain):
    config = '[profile "my work"]\naws_access_key_id = C\naws_secret_access_key = cs\n'
    assert chain(config, profile="my work")() == Credentials("C", "cs")
    credentials = "[my work]\naws_access_key_id = D\naws_secret_access_key = ds\n"
    assert chain(config, credentials, profile="my work")() == Credentials("D", "ds")


def test_files_may_stand_elsewhere(chain, tmp_path):
    (tmp_path / "elsewhere").write_text("[default]\naws_access_key_id = X\naws_secret_access_key = xs\n")
    assert chain(AWS_SHARED_CREDENTIALS_FILE="~/elsewhere")() == Credentials("X", "xs")


def test_a_profile_that_is_named_must_exist(chain):
    with pytest.raises(ConfigurationError, match="'nobody'"):
        chain(AWS_PROFILE="nobody")()


def test_a_broken_file_is_told_without_its_content(chain):
    with pytest.raises(ConfigurationError, match="credentials cannot be read") as caught:
        chain(credentials="[default]\nvery-secret-line\n")
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize("secret", ["a\nb", "", "ä", "a b"])
def test_keys_that_cannot_be_sent_are_refused(secret):
    with pytest.raises(CredentialsError):
        Credentials("A", secret)


def test_without_any_it_says_where_it_looked(chain):
    with pytest.raises(CredentialsError, match="AWS_ACCESS_KEY_ID"):
        chain()()


# --- a process --------------------------------------------------------------------------------------------------------


def process(tmp_path: Path, output: str, status: int = 0) -> str:
    script = tmp_path / "give.py"
    script.write_text(f"import sys; print({output!r}); sys.exit({status})")
    return f"[default]\ncredential_process = {sys.executable} {script}\n"


def test_a_process_may_give_credentials(chain, tmp_path):
    answer = {"Version": 1, "AccessKeyId": "ASIA1", "SecretAccessKey": "s1", "SessionToken": "t1", "Expiration": LATER}
    assert chain(process(tmp_path, json.dumps(answer)))() == FOUND


@pytest.mark.parametrize(
    ("output", "status"),
    [("{}", 0), ("no json", 0), ('{"Version": 1}', 0), ('{"Version": 1, "AccessKeyId": "secret-key"}', 1)],
)
def test_a_process_that_gives_none_is_an_error(chain, tmp_path, output, status):
    with pytest.raises(CredentialsError, match="credential_process of profile 'default'") as caught:
        chain(process(tmp_path, output, status))()
    assert "secret-key" not in str(caught.value)


def test_a_process_that_is_not_there_is_an_error(chain):
    with pytest.raises(CredentialsError, match="failed"):
        chain("[default]\ncredential_process = /nonexistent/program\n")()


# --- roles ------------------------------------------------------------------------------------------------------------

ROLE = """
[profile app]
role_arn = arn:aws:iam::1:role/app
source_profile = user
role_session_name = me
external_id = xyz
duration_seconds = 900

[profile user]
aws_access_key_id = USER
aws_secret_access_key = us
"""


def test_a_role_is_assumed_with_its_source_profiles_keys(chain, metadata):
    metadata.answer("POST", "/", STS_ANSWER)
    assert chain(ROLE, AWS_PROFILE="app", AWS_ENDPOINT_URL_STS=metadata.url)() == FOUND
    [(method, path, headers, body)] = metadata.asked
    assert {name: value for name, [value] in parse_qs(body.decode()).items()} == {
        "Action": "AssumeRole",
        "RoleArn": "arn:aws:iam::1:role/app",
        "RoleSessionName": "me",
        "ExternalId": "xyz",
        "DurationSeconds": "900",
        "Version": "2011-06-15",
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert sigv4.verify(method, path, "", raw, body, {"USER": sigv4.Key("us")}, NOW, "sts") == "USER"


def test_roles_may_be_chained(chain, metadata):
    metadata.answer("POST", "/", STS_ANSWER)
    config = ROLE + "\n[profile top]\nrole_arn = arn:top\nsource_profile = app\n"
    assert chain(config, AWS_PROFILE="top", AWS_ENDPOINT_URL_STS=metadata.url)() == FOUND
    assert ["Credential=USER/" in asked[2]["Authorization"] for asked in metadata.asked] == [True, False]


def test_a_profile_may_be_its_own_source(chain, metadata):
    metadata.answer("POST", "/", STS_ANSWER)
    config = ROLE.replace("source_profile = user", "source_profile = app\naws_access_key_id=A\naws_secret_access_key=a")
    assert chain(config, AWS_PROFILE="app", AWS_ENDPOINT_URL_STS=metadata.url)() == FOUND


def test_profiles_that_lead_to_each_other_are_an_error(chain):
    config = "[profile a]\nrole_arn = arn:a\nsource_profile = b\n[profile b]\nrole_arn = arn:b\nsource_profile = a\n"
    with pytest.raises(ConfigurationError, match="a → b → a"):
        chain(config, AWS_PROFILE="a")()


@pytest.mark.parametrize("source", ["", "credential_source = Mars", "source_profile = nobody"])
def test_a_role_without_a_source_is_an_error(chain, source):
    with pytest.raises(ConfigurationError):
        chain(f"[default]\nrole_arn = arn:a\n{source}\n")()


def test_a_roles_source_may_be_the_environment(chain, metadata):
    metadata.answer("POST", "/", STS_ANSWER)
    config = "[profile app]\nrole_arn = arn:a\ncredential_source = Environment\n"
    environ = {"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "es", "AWS_ENDPOINT_URL_STS": metadata.url}
    assert chain(config, profile="app", **environ)() == FOUND
    assert "Credential=ENV/" in metadata.asked[0][2]["Authorization"]


def test_a_role_that_is_refused_says_why(chain, metadata):
    metadata.answer("POST", "/", "<E><Code>AccessDenied</Code><Message>not you &amp; yours</Message></E>", 403)
    with pytest.raises(CredentialsError, match="AccessDenied: not you & yours"):
        chain(ROLE, AWS_PROFILE="app", AWS_ENDPOINT_URL_STS=metadata.url)()


def test_a_role_that_asks_for_mfa_says_so(chain):
    with pytest.raises(CredentialsError, match="MFA"):
        chain(ROLE.replace("external_id = xyz", "mfa_serial = arn:mfa"), AWS_PROFILE="app")()


@pytest.mark.parametrize("where", ["environment", "profile"])
def test_a_web_identity_is_exchanged_for_a_role(chain, metadata, tmp_path, where):
    metadata.answer("POST", "/", STS_ANSWER)
    token = tmp_path / "token"
    token.write_text("jwt\n")
    if where == "environment":
        environ = {"AWS_WEB_IDENTITY_TOKEN_FILE": str(token), "AWS_ROLE_ARN": "arn:r", "AWS_ROLE_SESSION_NAME": "n"}
        made = chain(AWS_ENDPOINT_URL_STS=metadata.url, **environ)
    else:
        config = f"[default]\nrole_arn = arn:r\nweb_identity_token_file = {token}\nrole_session_name = n\n"
        made = chain(config, AWS_ENDPOINT_URL_STS=metadata.url)
    assert made() == FOUND
    [(_, _, headers, body)] = metadata.asked
    sent = {name: value for name, [value] in parse_qs(body.decode()).items()}
    assert sent["Action"] == "AssumeRoleWithWebIdentity"
    assert (sent["RoleArn"], sent["WebIdentityToken"], sent["RoleSessionName"]) == ("arn:r", "jwt", "n")
    assert "Authorization" not in headers


def test_a_web_identity_without_a_role_or_a_token_is_an_error(chain, tmp_path):
    with pytest.raises(CredentialsError, match="AWS_ROLE_ARN"):
        chain(AWS_WEB_IDENTITY_TOKEN_FILE="/nonexistent")()
    with pytest.raises(CredentialsError, match="cannot be read"):
        chain(AWS_WEB_IDENTITY_TOKEN_FILE="/nonexistent", AWS_ROLE_ARN="arn:r")()


# --- IAM Identity Center ----------------------------------------------------------------------------------------------

SSO = """
[profile dev]
sso_session = corp
sso_account_id = 123
sso_role_name = Dev

[sso-session corp]
sso_region = eu-west-1
sso_start_url = https://corp.awsapps.com/start
"""
SSO_OLD = """
[profile dev]
sso_region = eu-west-1
sso_start_url = https://corp.awsapps.com/start
sso_account_id = 123
sso_role_name = Dev
"""
ROLE_CREDENTIALS = {
    "roleCredentials": {
        "accessKeyId": "ASIA1",
        "secretAccessKey": "s1",
        "sessionToken": "t1",
        "expiration": int(LATER_SECONDS * 1000),
    }
}


def cache(tmp_path: Path, key: str, **content: str) -> Path:
    path = tmp_path / ".aws" / "sso" / "cache" / f"{hashlib.sha1(key.encode()).hexdigest()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(("config", "key"), [(SSO, "corp"), (SSO_OLD, "https://corp.awsapps.com/start")])
def test_a_sign_in_is_exchanged_for_a_role(chain, metadata, tmp_path, config, key):
    metadata.answer("GET", "/federation/credentials", ROLE_CREDENTIALS)
    made = chain(config, AWS_PROFILE="dev", AWS_ENDPOINT_URL_SSO=metadata.url)
    cache(tmp_path, key, accessToken="bearer", expiresAt="2023-11-15T00:00:00Z")
    assert made() == FOUND
    [(_, path, headers, _)] = metadata.asked
    assert parse_qs(urlsplit(path).query) == {"role_name": ["Dev"], "account_id": ["123"]}
    assert headers["x-amz-sso_bearer_token"] == "bearer"


def test_a_sign_in_that_expired_is_renewed_when_it_can_be(chain, metadata, tmp_path):
    metadata.answer("GET", "/federation/credentials", ROLE_CREDENTIALS)
    metadata.answer("POST", "/token", {"accessToken": "fresh", "expiresIn": 3600, "refreshToken": "r2"})
    made = chain(SSO, AWS_PROFILE="dev", AWS_ENDPOINT_URL_SSO=metadata.url, AWS_ENDPOINT_URL_SSO_OIDC=metadata.url)
    path = cache(
        tmp_path,
        "corp",
        accessToken="old",
        expiresAt="2023-11-14T22:00:00Z",
        clientId="c",
        clientSecret="cs",
        refreshToken="r1",
    )
    assert made() == FOUND
    assert json.loads(metadata.asked[0][3])["refreshToken"] == "r1"
    assert metadata.asked[1][2]["x-amz-sso_bearer_token"] == "fresh"
    kept = json.loads(path.read_text())
    assert (kept["accessToken"], kept["refreshToken"], kept["expiresAt"]) == ("fresh", "r2", LATER)
    assert path.stat().st_mode & 0o077 == 0


def test_a_sign_in_that_is_missing_over_or_refused_says_what_to_run(chain, metadata, tmp_path):
    made = chain(SSO, AWS_PROFILE="dev", AWS_ENDPOINT_URL_SSO=metadata.url)
    with pytest.raises(CredentialsError, match="aws sso login --profile dev"):
        made()
    cache(tmp_path, "corp", accessToken="bearer", expiresAt="2023-11-14T22:00:00Z")
    with pytest.raises(CredentialsError, match="aws sso login --profile dev"):
        made()
    cache(tmp_path, "corp", accessToken="bearer", expiresAt="2023-11-15T00:00:00Z")
    metadata.answer("GET", "/federation/credentials", {}, 401)
    with pytest.raises(CredentialsError, match="aws sso login --profile dev"):
        made()


def test_a_profile_that_lacks_settings_is_told(chain):
    with pytest.raises(ConfigurationError, match="sso_role_name"):
        chain(SSO.replace("sso_role_name = Dev", ""), AWS_PROFILE="dev")()
    with pytest.raises(ConfigurationError, match="'corp'"):
        chain(SSO.replace("[sso-session corp]", "[sso-session other]"), AWS_PROFILE="dev")()


# --- the machine ------------------------------------------------------------------------------------------------------


def test_a_containers_agent_gives_credentials(chain, metadata, tmp_path):
    metadata.answer("GET", "/v2/creds", KEYS)
    environ = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{metadata.url}/v2/creds"}
    assert chain(AWS_CONTAINER_AUTHORIZATION_TOKEN="tok", **environ)() == FOUND
    token = tmp_path / "token"
    token.write_text("from-file\n")
    assert chain(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(token), **environ)() == FOUND
    assert [asked[2]["Authorization"] for asked in metadata.asked] == ["tok", "from-file"]


@pytest.mark.parametrize("url", ["http://10.0.0.1/creds", "http://evil.example/creds"])
def test_a_token_is_not_sent_to_a_stranger(chain, url):
    with pytest.raises(ConfigurationError, match="not from"):
        chain(AWS_CONTAINER_CREDENTIALS_FULL_URI=url, AWS_CONTAINER_AUTHORIZATION_TOKEN="tok")()


def test_a_containers_agent_that_refuses_is_an_error(chain, metadata):
    with pytest.raises(CredentialsError, match="404"):
        chain(AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{metadata.url}/v2/creds")()


def ec2(metadata: Metadata) -> dict[str, str]:
    metadata.answer("PUT", "/latest/api/token", "v2-token")
    metadata.answer("GET", "/latest/meta-data/iam/security-credentials/", "my-role\n")
    metadata.answer("GET", "/latest/meta-data/iam/security-credentials/my-role", {"Code": "Success", **KEYS})
    return {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.url}


def test_ec2_gives_the_instances_role(chain, metadata):
    assert chain(**ec2(metadata))() == FOUND
    assert [asked[0] for asked in metadata.asked] == ["PUT", "GET", "GET"]
    assert all(asked[2]["X-aws-ec2-metadata-token"] == "v2-token" for asked in metadata.asked[1:])


def test_ec2_is_not_asked_when_disabled(chain, metadata):
    with pytest.raises(CredentialsError, match="no AWS credentials"):
        chain(**{**ec2(metadata), "AWS_EC2_METADATA_DISABLED": "true"})()
    assert metadata.asked == []


def test_an_instance_without_a_role_has_no_credentials(chain, metadata):
    environ = ec2(metadata)
    metadata.answer("GET", "/latest/meta-data/iam/security-credentials/", "", 404)
    with pytest.raises(CredentialsError, match="no AWS credentials"):
        chain(**environ)()


def test_a_source_that_fails_for_a_moment_is_asked_again(chain, metadata, monkeypatch):
    monkeypatch.setattr("sekkei.store.aws.credentials.time.sleep", lambda _: None)
    metadata.answer("GET", "/creds", "oops", 500)
    with pytest.raises(CredentialsError, match="status 500"):
        chain(AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{metadata.url}/creds")()
    assert len(metadata.asked) == 3


def test_for_an_endpoint_on_this_machine_nobody_is_asked(chain, metadata, tmp_path):
    assert chain(**ec2(metadata)).static() is None
    assert chain(process(tmp_path, "{}")).static() is None
    assert chain(AWS_ACCESS_KEY_ID="E", AWS_SECRET_ACCESS_KEY="es").static() == Credentials("E", "es")
    assert metadata.asked == []
