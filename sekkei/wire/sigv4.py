"""AWS Signature Version 4: sign a request, verify a request.

One canonical form serves both directions. Verification works on the bytes as they came, before anything parses the
body, checks in the order in which DynamoDB does, and compares in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple, NoReturn
from urllib.parse import quote, unquote, unquote_to_bytes

from sekkei.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)

_ALGORITHM = "AWS4-HMAC-SHA256"
_TERMINATOR = "aws4_request"
_SERVICE = "dynamodb"
_SKEW_SECONDS = 5 * 60
_PRESIGNED_SECONDS_MAX = 7 * 24 * 3600

_UNSIGNED = frozenset({"authorization", "connection", "expect", "transfer-encoding", "user-agent", "x-amzn-trace-id"})
"""Headers that a client or a proxy may add or change on the way."""

_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_QUERY_PARAMETERS = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date")
_HEADER_PARAMETERS = ("Credential", "Signature", "SignedHeaders")


class Key(NamedTuple):
    """A secret with its optional session token. Its repr tells neither."""

    secret: str
    session_token: str = ""

    def __repr__(self) -> str:
        return "Key(...)"


# --- the canonical form -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _signing_key(secret: str, date: str, region: str, service: str) -> bytes:
    """A day's key for one region and service: four HMACs, hence cached."""
    key = ("AWS4" + secret).encode()
    for part in (date, region, service, _TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


@lru_cache(maxsize=8)
def _stamp(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y%m%dT%H%M%SZ")


def _canonical_path(path: str) -> str:
    """Dot segments removed, empty ones too, then encoded once more, as every service but S3 asks."""
    if path in ("/", ""):
        return "/"
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if kept:
                kept.pop()
        elif segment not in ("", "."):
            kept.append(segment)
    slash = "/" if kept and path.endswith("/") else ""
    return quote("/" + "/".join(kept) + slash, safe="/-_.~")


def _canonical_query(query: str) -> str:
    if not query:
        return ""
    pairs = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name != "X-Amz-Signature":
            pairs.append((quote(unquote_to_bytes(name), safe="-_.~"), quote(unquote_to_bytes(value), safe="-_.~")))
    return "&".join([f"{name}={value}" for name, value in sorted(pairs)])


def _signature(
    method: str,
    path: str,
    query: str,
    fields: Mapping[str, str],
    signed: list[str],
    body: bytes,
    stamp: str,
    signing_key: bytes,
    scope: str,
) -> str:
    """The signature over `fields` (lower-case names) named in `signed` (sorted)."""
    lines = "".join([f"{name}:{' '.join(fields[name].split())}\n" for name in signed])
    canonical = (
        f"{method}\n{_canonical_path(path)}\n{_canonical_query(query)}\n"
        f"{lines}\n{';'.join(signed)}\n{hashlib.sha256(body).hexdigest()}"
    )
    digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    return hmac.digest(signing_key, f"{_ALGORITHM}\n{stamp}\n{scope}\n{digest}".encode("latin-1"), "sha256").hex()


# --- signing ----------------------------------------------------------------------------------------------------------


def sign(
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    body: bytes,
    access_key: str,
    secret_key: str,
    session_token: str | None,
    region: str,
    service: str,
    now: float,
) -> dict[str, str]:
    """The headers to add: X-Amz-Date, Authorization and, for temporary credentials, X-Amz-Security-Token.

    `path` and `query` stand as they will on the wire, percent-encoded; `headers` must hold Host and all that is to be
    covered by the signature.
    """
    stamp = _stamp(int(now))
    added = {"X-Amz-Date": stamp}
    fields = {name.lower(): value for name, value in headers.items()}
    fields["x-amz-date"] = stamp
    if session_token:
        added["X-Amz-Security-Token"] = fields["x-amz-security-token"] = session_token
    if "host" not in fields:
        raise ValueError("a request must have its Host header before it is signed")
    signed = sorted(fields.keys() - _UNSIGNED)
    scope = f"{stamp[:8]}/{region}/{service}/{_TERMINATOR}"
    key = _signing_key(secret_key, stamp[:8], region, service)
    signature = _signature(method, path, query, fields, signed, body, stamp, key, scope)
    added["Authorization"] = (
        f"{_ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={';'.join(signed)}, Signature={signature}"
    )
    return added


# --- verifying --------------------------------------------------------------------------------------------------------


class _Claim(NamedTuple):
    """What the sender says about the signature, from the Authorization header or from the query."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    date: str
    token: str
    expires: str | None


def verify(
    method: str,
    path: str,
    query: str,
    headers: Iterable[tuple[bytes, bytes]],
    body: bytes,
    keys: Mapping[str, Key],
    now: float,
    service: str = _SERVICE,
) -> str:
    """The access key that signed the request, or DynamoDB's error for a request that none of `keys` signed."""
    fields = _fields(headers)
    claim = _claim(fields, query)
    stamp = _checked_date(claim, now)
    signed = _checked_signed_headers(claim, fields)
    if claim.algorithm != _ALGORITHM:
        raise IncompleteSignatureException(
            f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {_ALGORITHM} for now). "
        )
    access_key, date, region = _checked_scope(claim, stamp, service)
    key = keys.get(access_key)
    if key is None or not hmac.compare_digest(claim.token.encode("latin-1"), key.session_token.encode()):
        raise UnrecognizedClientException("The security token included in the request is invalid.")
    signing_key = _signing_key(key.secret, date, region, service)
    scope = f"{date}/{region}/{service}/{_TERMINATOR}"
    expected = _signature(method, path, query, fields, signed, body, stamp, signing_key, scope)
    if not hmac.compare_digest(expected.encode(), claim.signature.encode("latin-1")):
        raise InvalidSignatureException(
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
            "Access Key and signing method. Consult the service documentation for details."
        )
    return access_key


def check_presence(query: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    """What DynamoDB asks of the form of a signature, for a server that does not verify it."""
    _claim(_fields(headers), query)


def _fields(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; the values of a repeated one are joined, so that adding one breaks the signature."""
    fields: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("latin-1").lower()
        value = raw_value.decode("latin-1")
        fields[name] = f"{fields[name]},{value}" if name in fields else value
    return fields


def _claim(fields: Mapping[str, str], query: str) -> _Claim:
    authorization = fields.get("authorization")
    parameters = _query_parameters(query)
    if authorization is not None and "X-Amz-Algorithm" in parameters:
        raise InvalidSignatureException(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
        )
    if authorization is not None and authorization.strip().startswith("AWS4-"):
        return _claim_in_header(authorization, fields)
    if authorization is None and "X-Amz-Algorithm" in parameters:
        return _claim_in_query(parameters)
    raise MissingAuthenticationTokenException("Request is missing Authentication Token")


def _query_parameters(query: str) -> dict[str, str]:
    if not query:
        return {}
    found: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        found[unquote(name, "latin-1")] = unquote(value, "latin-1")
    return found


def _claim_in_header(authorization: str, fields: Mapping[str, str]) -> _Claim:
    algorithm, _, rest = authorization.strip().partition(" ")
    parameters: dict[str, str] = {}
    for part in rest.replace(",", " ").split():
        name, equals, value = part.partition("=")
        if not equals:
            raise IncompleteSignatureException(
                f"'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{authorization}'."
            )
        parameters[name] = value
    missing = [
        f"Authorization header requires '{name}' parameter. " for name in _HEADER_PARAMETERS if not parameters.get(name)
    ]
    date = fields.get("x-amz-date") or fields.get("date")
    if not date:
        missing.append("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")
    if missing or not date:
        raise IncompleteSignatureException("".join(missing) + "Authorization=" + authorization)
    token = fields.get("x-amz-security-token", "")
    credential, signature, signed = (parameters[name] for name in _HEADER_PARAMETERS)
    return _Claim(algorithm, credential, signed, signature, date, token, None)


def _claim_in_query(parameters: Mapping[str, str]) -> _Claim:
    missing = [
        f"AWS query-string parameters must include '{name}'. " for name in _QUERY_PARAMETERS if not parameters.get(name)
    ]
    if missing:
        raise IncompleteSignatureException("".join(missing) + "Re-examine the query-string parameters.")
    algorithm, credential, signature, signed, date = (parameters[name] for name in _QUERY_PARAMETERS)
    token = parameters.get("X-Amz-Security-Token", "")
    return _Claim(algorithm, credential, signed, signature, date, token, parameters.get("X-Amz-Expires", ""))


def _checked_date(claim: _Claim, now: float) -> str:
    """The time of signing in ISO 8601's basic form, when it is near enough to now."""
    stamp, signed_at = _parsed_date(claim.date)
    if signed_at - now > _SKEW_SECONDS:
        latest = _stamp(int(now + _SKEW_SECONDS))
        raise InvalidSignatureException(
            f"Signature not yet current: {stamp} is still later than {latest} ({_stamp(int(now))} + 5 min.)"
        )
    if claim.expires is not None:
        _check_expiry(claim.expires, stamp, signed_at, now)
    elif now - signed_at > _SKEW_SECONDS:
        earliest = _stamp(int(now - _SKEW_SECONDS))
        raise InvalidSignatureException(
            f"Signature expired: {stamp} is now earlier than {earliest} ({_stamp(int(now))} - 5 min.)"
        )
    return stamp


@lru_cache(maxsize=64)
def _parsed_date(text: str) -> tuple[str, float]:
    """Cached, since the requests of one second carry the same text and parsing costs a third of a verification."""
    try:
        if _STAMP.fullmatch(text):
            return text, datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        if text[3:4] == ",":  # a Date header in HTTP's own form
            moment = parsedate_to_datetime(text).replace(tzinfo=UTC).timestamp()
            return _stamp(int(moment)), moment
    except (ValueError, OverflowError):
        pass
    raise IncompleteSignatureException(
        f"Date must be in ISO-8601 'basic format'. Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
    )


def _check_expiry(expires: str, stamp: str, signed_at: float, now: float) -> None:
    is_number = expires.isascii() and expires.isdigit() and len(expires) < 10
    if not is_number or not 0 < int(expires) <= _PRESIGNED_SECONDS_MAX:
        raise IncompleteSignatureException(
            f"X-Amz-Expires must be a number of seconds between 1 and {_PRESIGNED_SECONDS_MAX}, got '{expires}'."
        )
    if now > signed_at + int(expires):
        raise InvalidSignatureException(
            f"Signature expired: {stamp} is now earlier than {_stamp(int(now - int(expires)))} "
            f"({_stamp(int(now))} - {expires} sec.)"
        )


def _checked_signed_headers(claim: _Claim, fields: Mapping[str, str]) -> list[str]:
    """The names that the signature covers. Host and the operation must be among them, or they could be swapped."""
    signed = claim.signed_headers.split(";")
    if "host" not in signed:
        raise InvalidSignatureException("'Host' must be a 'SignedHeader' in the AWS Authorization.")
    if "x-amz-target" in fields and "x-amz-target" not in signed:
        raise InvalidSignatureException("'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.")
    for name in signed:
        if name not in fields:
            raise InvalidSignatureException(f"'{name}' is a 'SignedHeader' but the request has no such header.")
    return signed


def _checked_scope(claim: _Claim, stamp: str, service: str) -> tuple[str, str, str]:
    """(access key, date, region) of the credential; any region is ours."""
    parts = claim.credential.split("/")
    if len(parts) != 5:
        raise IncompleteSignatureException(
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
            f"got '{claim.credential}'"
        )
    access_key, date, region, scoped_service, terminator = parts
    if not region or scoped_service != service or terminator != _TERMINATOR or date != stamp[:8]:
        _refuse_scope(parts, stamp, service)
    return access_key, date, region


def _refuse_scope(parts: list[str], stamp: str, service: str) -> NoReturn:
    _, date, region, scoped_service, terminator = parts
    said = []
    if not region:
        said.append("Credential should be scoped to a valid region. ")
    if scoped_service != service:
        said.append(f"Credential should be scoped to correct service: '{service}'. ")
    if terminator != _TERMINATOR:
        said.append(f"Credential should be scoped with a valid terminator: '{_TERMINATOR}', not '{terminator}'. ")
    if date != stamp[:8]:
        said.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{date}' != '{stamp[:8]}', from '{stamp}'. "
        )
    raise InvalidSignatureException("".join(said))
