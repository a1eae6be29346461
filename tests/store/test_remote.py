"""What the client says, hears and does about it, against a server that does as it is told."""

from __future__ import annotations

import asyncio
import threading
from types import MappingProxyType

import orjson
import pytest

from sekkei import errors
from sekkei.errors import CredentialsError, DamagedAnswer, NoAnswer, StoreClosed, UnknownError
from sekkei.store.aws.credentials import Credentials
from sekkei.store.remote import Remote
from sekkei.wire import sigv4
from tests.store.canned import cut, error, eventually, message, ok, raw, waiting

GET = {"TableName": "t", "Key": {"pk": {"S": "あ"}}}
BODY = orjson.dumps({"Item": {"pk": {"S": "あ"}}})


async def test_a_call_is_a_signed_post_of_dynamodbs_json(server, make_remote, clock):
    server.then(ok({"Item": {"n": {"N": "1"}}}))
    store = make_remote(credentials=("AKID", "secret", "session"), region="eu-west-1")
    assert await store.call("GetItem", GET) == {"Item": {"n": {"N": "1"}}}
    [sent] = server.received
    assert sent.json == GET
    assert sent.header("X-Amz-Target") == "DynamoDB_20120810.GetItem"
    assert sent.header("Content-Type") == "application/x-amz-json-1.0"
    assert sent.header("User-Agent") == "sekkei"
    assert "/eu-west-1/dynamodb/" in sent.header("Authorization")
    keys = {"AKID": sigv4.Key("secret", "session")}
    assert sigv4.verify("POST", "/", "", sent.headers, sent.body, keys, clock.now()) == "AKID"


async def test_streams_have_a_target_of_their_own(server, make_remote):
    await make_remote().call("ListStreams", {})
    assert server.received[0].header("X-Amz-Target") == "DynamoDBStreams_20120810.ListStreams"


async def test_any_mapping_is_a_request_and_other_objects_are_not(server, make_remote):
    store = make_remote()
    await store.call("GetItem", MappingProxyType({"Key": MappingProxyType({"a": {"S": "x"}})}))
    assert server.received[0].json == {"Key": {"a": {"S": "x"}}}
    with pytest.raises(errors.SerializationException, match="bytes"):
        await store.call("PutItem", {"Item": {"b": {"B": b"raw"}}})
    assert len(server.received) == 1


async def test_an_operations_name_cannot_smuggle_a_header(server, make_remote):
    with pytest.raises(errors.UnknownOperationException):
        await make_remote().call("GetItem\r\nX-Evil: 1", {})
    assert server.received == []


# --- connections ------------------------------------------------------------------------------------------------------


async def test_calls_in_turn_share_a_connection(server, make_remote):
    store = make_remote()
    for _ in range(5):
        await store.call("GetItem", GET)
    assert server.connections == 1


async def test_calls_at_once_share_no_more_connections_than_allowed(server, make_remote):
    store = make_remote(connections_max=3)
    await asyncio.gather(*[store.call("GetItem", GET) for _ in range(20)])
    assert len(server.received) == 20
    assert 1 <= server.open_most <= 3


async def test_a_connection_that_lay_idle_too_long_is_not_used(server, make_remote):
    store = make_remote(idle_seconds=0.0)
    await store.call("GetItem", GET)
    await store.call("GetItem", GET)
    assert server.connections == 2


async def test_a_connection_closed_while_idle_costs_no_attempt(server, make_remote, naps):
    server.then(ok({}), cut, ok({"Count": 1}))
    store = make_remote(attempts=1)
    await store.call("Query", {})
    assert await store.call("Query", {}) == {"Count": 1}
    assert (len(server.received), server.connections, naps) == (3, 2, [])


async def test_a_fresh_connection_that_is_closed_costs_an_attempt(server, make_remote, naps):
    server.then(cut, ok({"Count": 1}))
    assert await make_remote(attempts=2).call("Query", {}) == {"Count": 1}
    assert len(naps) == 1
    server.then(cut)
    with pytest.raises(NoAnswer, match="closed"):
        await make_remote(attempts=1).call("Query", {})


async def test_a_stale_connection_condemns_its_idle_neighbours(server, make_remote):
    hold = asyncio.Event()
    server.then(waiting(hold, ok({})), waiting(hold, ok({})))
    store = make_remote()
    both = asyncio.gather(store.call("GetItem", GET), store.call("GetItem", GET))
    await eventually(lambda: len(server.received) == 2)
    hold.set()
    await both
    server.then(cut, ok({}), ok({}))
    await store.call("GetItem", GET)
    await store.call("GetItem", GET)
    assert [request.connection for request in server.received[2:]][1:] == [3, 3]
    await eventually(lambda: server.open_now == 1)


async def test_connection_close_is_obeyed(server, make_remote):
    server.then(ok({}, extra=b"Connection: close\r\n"), ok({}))
    store = make_remote(attempts=1)
    await store.call("GetItem", GET)
    await store.call("GetItem", GET)
    assert server.connections == 2


async def test_a_second_answer_in_the_same_breath_costs_the_connection(server, make_remote):
    server.then(raw(message(b'{"A":1}') + message(b'{"B":2}')), ok({"C": 3}))
    store = make_remote()
    assert await store.call("GetItem", GET) == {"A": 1}
    assert await store.call("GetItem", GET) == {"C": 3}
    assert server.connections == 2


async def test_bytes_on_an_idle_connection_cost_it(server, make_remote):
    more = asyncio.Event()

    async def twice(writer: asyncio.StreamWriter) -> None:
        writer.write(message(b'{"A":1}'))
        await more.wait()
        writer.write(message(b'{"B":2}'))

    server.then(twice, ok({"C": 3}))
    store = make_remote()
    assert await store.call("GetItem", GET) == {"A": 1}
    more.set()
    await eventually(lambda: server.open_now == 0)
    assert await store.call("GetItem", GET) == {"C": 3}
    assert server.connections == 2


ANSWER = message(BODY)


async def test_an_answer_cut_off_anywhere_is_asked_for_again(server, make_remote, naps):
    store = make_remote()
    for length in range(1, len(ANSWER)):
        server.then(raw(ANSWER[:length], close=True), raw(ANSWER))
        assert await store.call("GetItem", GET) == orjson.loads(BODY)
        assert len(naps) == length


async def test_an_answer_with_any_bit_flipped_is_never_believed(server, make_remote):
    """Either the flip does not matter, or it is noticed."""
    store = make_remote(attempts=1)
    believed = 0
    for position in range(8 * len(ANSWER)):
        flipped = bytearray(ANSWER)
        flipped[position // 8] ^= 1 << position % 8
        server.then(raw(bytes(flipped), close=True))
        try:
            assert await store.call("GetItem", GET) == orjson.loads(BODY)
            believed += 1
        except errors.DynamoDBError:
            pass
    assert 0 < believed < 8 * (len(ANSWER) - len(BODY))


async def test_an_answer_cut_off_on_a_used_connection_is_not_taken_for_a_stale_one(server, make_remote):
    server.then(ok({}), raw(ANSWER[:40], close=True))
    store = make_remote(attempts=1)
    await store.call("GetItem", GET)
    with pytest.raises(NoAnswer):
        await store.call("GetItem", GET)
    assert len(server.received) == 2


async def test_nobody_listening_is_no_answer(make_remote, unused_tcp_port):
    store = make_remote(endpoint_url=f"http://127.0.0.1:{unused_tcp_port}", attempts=3)
    with pytest.raises(NoAnswer, match=str(unused_tcp_port)):
        await store.call("GetItem", GET)


async def test_a_server_that_says_nothing_is_given_up(server, make_remote):
    never = asyncio.Event()
    server.then(waiting(never, ok({}))).otherwise = ok({"late": False})
    store = make_remote(read_timeout=0.2, attempts=1_000)  # a busy machine may be late itself
    assert await store.call("GetItem", GET) == {"late": False}
    assert server.connections >= 2


async def test_a_server_that_drips_is_given_up(server, make_remote):
    async def drip(writer: asyncio.StreamWriter) -> None:
        for byte in ANSWER:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.01)

    server.then(drip)
    with pytest.raises(NoAnswer, match="within"):
        await make_remote(read_timeout=0.1, attempts=1).call("GetItem", GET)


async def test_what_is_not_http_is_no_answer(server, make_remote):
    server.then(raw(b"SSH-2.0-OpenSSH_9.2\r\n"))
    with pytest.raises(NoAnswer, match="not an HTTP answer"):
        await make_remote(attempts=1).call("GetItem", GET)


async def test_an_answer_without_end_is_cut_short(server, make_remote, monkeypatch):
    monkeypatch.setattr("sekkei.store.http.ANSWER_BYTES_MAX", 1000)
    server.then(ok({"x": "y" * 2000}))
    with pytest.raises(NoAnswer, match="longer than"):
        await make_remote(attempts=1).call("GetItem", GET)


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


async def test_chunked_answers_are_read(server, make_remote):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    server.then(raw(head + chunked(BODY, 7)), ok({}))
    store = make_remote()
    assert await store.call("GetItem", GET) == orjson.loads(BODY)
    await store.call("GetItem", GET)
    assert server.connections == 1


async def test_an_answer_that_ends_with_the_connection_is_read(server, make_remote):
    server.then(raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + BODY, close=True), ok({}))
    store = make_remote()
    assert await store.call("GetItem", GET) == orjson.loads(BODY)
    assert await store.call("GetItem", GET) == {}


async def test_an_interim_answer_is_passed_over(server, make_remote):
    server.then(raw(b"HTTP/1.1 100 Continue\r\n\r\n" + ANSWER))
    assert await make_remote().call("GetItem", GET) == orjson.loads(BODY)


async def test_a_cancelled_call_leaves_nothing_for_the_next(server, make_remote):
    """The late answer of a cancelled call must not become the answer of another."""
    late = asyncio.Event()
    server.then(waiting(late, ok({"of": "the first"})), ok({"of": "the second"}))
    store = make_remote(connections_max=1)
    first = asyncio.create_task(store.call("GetItem", GET))
    await eventually(lambda: bool(server.received))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    late.set()
    assert await store.call("GetItem", GET) == {"of": "the second"}
    assert server.connections == 2


async def test_calls_cancelled_at_any_moment_never_lose_a_place(server, make_remote):
    store = make_remote(connections_max=2)
    for pauses in range(12):
        tasks = [asyncio.create_task(store.call("GetItem", GET)) for _ in range(5)]
        for _ in range(pauses):
            await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    server.otherwise = ok({"alive": True})
    answers = await asyncio.gather(*[store.call("GetItem", GET) for _ in range(4)])
    assert answers == [{"alive": True}] * 4


# --- errors and retries -----------------------------------------------------------------------------------------------

RETRIED = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TransactionInProgressException",
    "ReplicatedWriteConflictException",
]


@pytest.mark.parametrize("code", RETRIED)
async def test_what_may_pass_is_tried_again(server, make_remote, naps, code):
    server.then(error(code), error(code), ok({"Count": 7}))
    assert await make_remote().call("Query", {}) == {"Count": 7}
    assert len(naps) == 2


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_servers_fault_is_tried_again(server, make_remote, status):
    server.then(raw(message(b"<html>oops</html>", status)), error("InternalServerError", status=500), ok({"Count": 7}))
    assert await make_remote().call("Query", {}) == {"Count": 7}


@pytest.mark.parametrize(
    "code",
    [
        "ValidationException",
        "ConditionalCheckFailedException",
        "ResourceNotFoundException",
        "TransactionConflictException",
        "TransactionCanceledException",
        "LimitExceededException",
    ],
)
async def test_what_will_not_pass_is_raised_at_once(server, make_remote, naps, code):
    server.then(error(code, "why"))
    with pytest.raises(errors.BY_CODE[code], match="why") as caught:
        await make_remote().call("PutItem", {})
    assert caught.value.request_id == "RID"
    assert (len(server.received), naps) == (1, [])


async def test_attempts_end_and_the_last_error_is_raised(server, make_remote, naps):
    server.otherwise = error("ThrottlingException", "slow down")
    with pytest.raises(errors.ThrottlingException, match="slow down"):
        await make_remote().call("Query", {})
    assert len(server.received) == 10
    assert all(0 <= nap <= 0.05 * 2**n for n, nap in enumerate(naps))
    assert len(set(naps)) == 9


async def test_an_answer_that_does_not_match_its_crc32_is_asked_for_again(server, make_remote):
    server.then(ok({"Count": 6}, crc=1), ok({"Count": 7}))
    assert await make_remote().call("Query", {}) == {"Count": 7}
    server.then(ok({"Count": 6}, crc=1))
    with pytest.raises(DamagedAnswer, match="CRC32") as caught:
        await make_remote(attempts=1).call("Query", {})
    assert caught.value.request_id == "RID"


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff"])
async def test_an_answer_that_is_no_json_object_is_damaged(server, make_remote, body):
    server.then(raw(message(body)))
    with pytest.raises(DamagedAnswer):
        await make_remote(attempts=1).call("Query", {})


async def test_errors_keep_what_they_carry(server, make_remote):
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "no", "Item": {"a": {"S": "x"}}}]
    throttling = [{"reason": "TableReadKeyRangeThroughputExceeded", "resource": "arn:t"}]
    server.then(
        error("ConditionalCheckFailedException", "no", Item={"a": {"S": "x"}}),
        error("TransactionCanceledException", "no", CancellationReasons=reasons),
        error("ProvisionedThroughputExceededException", "no", ThrottlingReasons=throttling),
    )
    store = make_remote(attempts=1)
    with pytest.raises(errors.ConditionalCheckFailedException) as failed:
        await store.call("PutItem", {})
    assert failed.value.item == {"a": {"S": "x"}}
    with pytest.raises(errors.TransactionCanceledException) as cancelled:
        await store.call("TransactWriteItems", {})
    assert cancelled.value.reasons == reasons
    with pytest.raises(errors.ProvisionedThroughputExceededException) as throttled:
        await store.call("GetItem", {})
    assert throttled.value.reasons == throttling


async def test_a_code_without_a_class_keeps_its_code(server, make_remote):
    server.then(error("SomethingNewException", "surprise", status=400), raw(message(b"", 413)))
    store = make_remote()
    with pytest.raises(UnknownError, match="SomethingNewException: surprise") as caught:
        await store.call("GetItem", {})
    assert caught.value.code == "SomethingNewException"
    with pytest.raises(UnknownError) as caught:
        await store.call("GetItem", {})
    assert (caught.value.code, caught.value.http_status) == ("Status413", 413)


@pytest.mark.parametrize("operation", ["TransactWriteItems", "ExecuteTransaction"])
async def test_a_transaction_keeps_its_token_when_tried_again(server, make_remote, operation):
    server.then(cut, error("InternalServerError", status=500), ok({}))
    await make_remote().call(operation, {"TransactItems": []})
    tokens = [request.json["ClientRequestToken"] for request in server.received]
    assert len(tokens) == 3
    assert len(set(tokens)) == 1
    assert len(tokens[0]) == 36
    await make_remote().call(operation, {"ClientRequestToken": "mine"})
    assert server.received[-1].json == {"ClientRequestToken": "mine"}


# --- credentials and clock --------------------------------------------------------------------------------------------


async def test_an_expired_token_is_renewed_once(server, make_remote):
    given = iter([Credentials("OLD", "s"), Credentials("NEW", "s"), Credentials("NEWER", "s")])
    server.then(error("ExpiredTokenException"), ok({"Count": 1}))
    store = make_remote(credentials=lambda: next(given))
    assert await store.call("Query", {}) == {"Count": 1}
    assert ["NEW/" in request.header("Authorization") for request in server.received] == [False, True]
    server.then(error("ExpiredTokenException"), error("ExpiredTokenException"))
    with pytest.raises(UnknownError, match="ExpiredToken"):
        await store.call("Query", {})


async def test_an_expired_token_without_another_is_the_callers_to_know(server, make_remote):
    server.then(error("ExpiredTokenException", "expired"))
    with pytest.raises(UnknownError, match="expired"):
        await make_remote(credentials=("A", "s", "t")).call("Query", {})
    assert len(server.received) == 1


async def test_a_clock_that_is_wrong_is_set_by_the_servers(server, make_remote, clock):
    refused = orjson.dumps({"__type": "com.amazon.coral.service#InvalidSignatureException", "message": "expired"})
    server.then(raw(message(refused, 400, extra=b"Date: Tue, 14 Nov 2023 23:13:20 GMT\r\n")), ok({}))
    store = make_remote()  # the clock says 22:13:20
    await store.call("Query", {})
    assert [request.header("X-Amz-Date") for request in server.received] == ["20231114T221320Z", "20231114T231320Z"]


async def test_a_bad_signature_at_the_right_time_is_raised(server, make_remote):
    refused = orjson.dumps({"__type": "com.amazon.coral.service#InvalidSignatureException", "message": "bad key"})
    server.then(raw(message(refused, 400, extra=b"Date: Tue, 14 Nov 2023 22:13:21 GMT\r\n")))
    with pytest.raises(errors.InvalidSignatureException, match="bad key"):
        await make_remote().call("Query", {})


# --- its life ---------------------------------------------------------------------------------------------------------


async def test_close_waits_for_calls_and_refuses_new_ones(server, make_remote):
    hold = asyncio.Event()
    server.then(waiting(hold, ok({"done": True})))
    store = make_remote()
    call = asyncio.create_task(store.call("GetItem", GET))
    await eventually(lambda: bool(server.received))
    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    assert not closing.done()
    with pytest.raises(StoreClosed):
        await store.call("GetItem", GET)
    hold.set()
    await closing
    assert await call == {"done": True}
    await store.close()


async def test_one_store_serves_loops_in_several_threads(server, make_remote):
    store = make_remote()
    answers: list[object] = []

    async def several() -> None:
        answers.extend(await asyncio.gather(*[store.call("GetItem", GET) for _ in range(4)]))

    threads = [threading.Thread(target=lambda: asyncio.run(several())) for _ in range(3)]
    for thread in threads:
        thread.start()
    await several()
    await asyncio.gather(*[asyncio.to_thread(thread.join) for thread in threads])
    assert answers == [{}] * 16


def test_repr_and_errors_tell_no_secret():
    store = Remote(endpoint_url="http://127.0.0.1:1", credentials=("AKID", "hush-hush", "token-token"), environ={})
    assert "hush" not in repr(store)
    assert "hush" not in repr(Credentials("AKID", "hush-hush", "token-token"))
    assert "token-token" not in repr(Credentials("AKID", "hush-hush", "token-token"))


async def test_an_endpoint_on_this_machine_needs_no_credentials(server, make_remote):
    await make_remote().call("ListTables", {})
    assert "Credential=local/" in server.received[0].header("Authorization")


async def test_an_endpoint_elsewhere_does(make_remote):
    environ = {"HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true"}
    with pytest.raises(CredentialsError, match="no AWS credentials"):
        await make_remote(endpoint_url="http://192.0.2.1:8000", environ=environ).call("ListTables", {})
