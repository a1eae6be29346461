"""A process that is forked while it has stores open: its child may open the same files, and nobody waits for ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

COMMON = """
import asyncio, os, signal, subprocess, sys, threading, time
from pathlib import Path
from sekkei.engine import Engine, engine as engines
from sekkei.engine.storage import file

TABLE = {"TableName": "tab", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}

def call(store, operation, **request):
    return asyncio.run(store.call(operation, {"TableName": "tab", **request}))

def put(store, *names):
    for name in names:
        call(store, "PutItem", Item={"pk": {"S": name}})

def there(store):
    return sorted(item["pk"]["S"] for item in call(store, "Scan")["Items"])

def made(path):
    store = Engine(path)
    asyncio.run(store.call("CreateTable", TABLE))
    return store

class Child:
    '''Does the deed in a forked process: `meet` waits, on both sides, until the other one does too.'''
    def __init__(self, deed):
        mine, its = os.pipe(), os.pipe()
        self.pid = os.fork()
        (self._read, _), (_, self._write) = (mine, its) if self.pid else (its, mine)
        if not self.pid:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
            try:
                deed(self)
            except BaseException as error:
                print(type(error).__name__, error, flush=True)
            os._exit(0)
    def meet(self):
        os.write(self._write, b".")
        os.read(self._read, 1)
    def ends(self):
        _, status = os.waitpid(self.pid, 0)
        assert not status, "hung"

path = sys.argv[1]
"""


def told(program: str, path: object = "") -> list[str]:
    command = [sys.executable, "-W", "ignore", "-c", COMMON + program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


LOST = """
store = made(path)
put(store, "parent")
def deed(child):
    own = Engine(path)
    put(own, "child 1")
    child.meet()
    child.meet()
    put(own, "child 2")
    own.close()
child = Child(deed)
child.meet()
store.close()
third = COMMON + "put(Engine(path), 'third 1', 'third 2'); os._exit(0)"
subprocess.run([sys.executable, "-c", third, path], check=True)
child.meet()
child.ends()
print(there(Engine(path)))
"""


def test_nothing_is_lost_that_a_forked_child_was_told_is_there(tmp_path: Path) -> None:
    """Parent and third process each deleted the log while the child used it: it had no locks of its own."""
    program = LOST.replace("COMMON", repr(COMMON))
    assert told(program, tmp_path / "store.db") == ["['child 1', 'child 2', 'parent', 'third 1', 'third 2']"]


ANY_WAY = """
import apsw
store = made(path)
def deed(child):
    own = {}
    own.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    child.meet()
    child.meet()
child = Child(deed)
child.meet()
store.close()
print(os.path.exists(path + "-wal"))
child.meet()
child.ends()
"""


@pytest.mark.parametrize("way", ["file.connect(path)", "file.connect_to_read(path)", "apsw.Connection(path)"])
def test_a_child_has_locks_of_its_own_whichever_way_it_opens_the_file(tmp_path: Path, way: str) -> None:
    assert told(ANY_WAY.format(way), tmp_path / "store.db") == ["True"], "the parent is not the last"


BUSY = """
from concurrent.futures import ThreadPoolExecutor
store, memory = made(path), made(None)
over = False
def busy(store, operation):
    async def one(number):
        while not over:
            await store.call(operation, {"TableName": "tab"} | (
                {"Item": {"pk": {"S": f"busy {number}"}}} if operation == "PutItem" else {}))
            await asyncio.sleep(0)
    async def some():
        await asyncio.gather(*map(one, range(4)))
    asyncio.run(some())
def comes_and_goes():
    while not over:
        thread = threading.Thread(target=there, args=(store,))
        thread.start()
        thread.join()
threads = [threading.Thread(target=busy, args=(each, what)) for each in (store, memory) for what in ("PutItem", "Scan")]
threads.append(threading.Thread(target=comes_and_goes))
for thread in threads:
    thread.start()
names = []
for number in range(15):
    names.append(f"child {number}")
    def deed(child):
        own, another = Engine(path), made(None)
        put(own, names[-1])
        put(another, "its own")
        another.close()
        store.close()
    Child(deed).ends()
    time.sleep(0.002 * (number % 5))
over = True
for thread in threads:
    thread.join()
print([name for name in names if name not in there(store)])
store.close()
print([name for name in names if name not in there(Engine(path))])
"""


def test_children_of_a_busy_process_come_to_their_end(tmp_path: Path) -> None:
    """A thread that is inside SQLite or has a lock of ours while another forks never puts it down in the child."""
    assert told(BUSY, tmp_path / "store.db") == ["[]", "[]"]


MANY = """
stores = [made(None) for _ in range(8)]
def forks():
    for _ in range(8):
        Child(lambda child: None).ends()
        for store in stores:
            put(store, threading.current_thread().name)
threads = [threading.Thread(target=forks) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print({len(there(store)) for store in stores})
"""


def test_threads_that_fork_at_the_same_time_do_not_wait_for_each_other() -> None:
    assert told(MANY) == ["{4}"]


HALF_DONE = """
engines.FORK_SECONDS = 0.1
store = made(path)
put(store, "before")
writing = file.connect(path)
writing.execute("BEGIN IMMEDIATE")
writing.execute("CREATE TABLE half (done)")
held = store._writer._connection_lock
held.acquire()   # a write that does not end
def deed(child):
    Engine(None).close()
    Engine(path)
child = Child(deed)
child.ends()
held.release()
writing.execute("ROLLBACK")
writing.close()
put(store, "after")
print(there(store))
"""


def test_a_child_that_was_forked_in_the_middle_of_a_commit_is_refused_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    refusal, left = told(HALF_DONE, path)
    assert refusal.startswith("RuntimeError This process was forked while its parent worked on ")
    assert left == "['after', 'before']"


LARGE = """
store = made(path)
large = {"pk": {"S": "large"}, "list": {"L": [{"N": str(number)} for number in range(6000)]}}
call(store, "PutItem", Item=large)
Child(lambda child: call(store, "PutItem", Item=large)).ends()
print(there(store))
"""


def test_a_large_request_is_refused_in_a_child_as_any_other_is(tmp_path: Path) -> None:
    """It was given to a thread that a child does not have, and waited for ever."""
    refusal, left = told(LARGE, tmp_path / "store.db")
    assert refusal.startswith("RuntimeError This store was opened before this process was forked")
    assert left == "['large']"
