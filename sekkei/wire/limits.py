"""What the server allows a stranger."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Every bound that the server keeps; the defaults suit one machine."""

    body_bytes_max: int = 16 * MIB
    """DynamoDB's own bound on a request."""

    head_bytes_max: int = 64 * 1024
    header_count_max: int = 100

    buffered_bytes_max: int = 256 * MIB
    """Of all request bodies that are being received at one time."""

    unread_bytes_max: int = 256 * MIB
    """Of all answers that their clients have not taken yet."""

    connections_max: int = 1024
    """Fewer when the process may not have twice as many files open."""

    request_seconds: float = 60.0
    """From the first byte of a request to its last."""

    idle_seconds: float = 120.0
    """Between two requests of one connection."""

    write_seconds: float = 60.0
    """For a client that does not take its answer."""

    stalled_seconds: float = 3.0
    """Who sent nothing more of a request, or took nothing of an answer, for so long makes room when there is none."""

    linger_seconds: float = 10.0
    """How long what a refused client still sends is read and thrown away, so that it can read why."""

    shutdown_seconds: float = 3.0
    """For the requests that are under way when the server stops."""

    sweep_seconds: float = 1.0
    """How often the server looks for clients that have used up their time."""
