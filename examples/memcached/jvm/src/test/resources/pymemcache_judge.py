"""Uses the server at 127.0.0.1:PORT as programs do that have pymemcache. Any surprise is an exception."""
import os
import sys
import threading
import time

from pymemcache.client.base import Client, PooledClient
from pymemcache.exceptions import MemcacheClientError, MemcacheServerError

address = ("127.0.0.1", int(sys.argv[1]))
client = Client(address, connect_timeout=20, timeout=20)


def same(actual, expected):
    if actual != expected:
        raise AssertionError("%r, not %r" % (actual, expected))


same(client.flush_all(noreply=False), True)
same(client.get("a"), None)
same(client.set("a", b"1", noreply=False), True)
same(client.get("a"), b"1")
same(client.add("a", b"2", noreply=False), False)
same(client.add("b", b"2", noreply=False), True)
same(client.replace("c", b"2", noreply=False), False)
same(client.replace("b", b"3", noreply=False), True)
same(client.append("b", b"4", noreply=False), True)
same(client.prepend("b", b"2", noreply=False), True)
same(client.append("none", b"4", noreply=False), False)
same(client.get("b"), b"234")

same(client.incr("b", 2), 236)
same(client.decr("b", 200), 36)
same(client.incr("none", 2), None)
same(client.delete("b", noreply=False), True)
same(client.delete("b", noreply=False), False)

value, unique = client.gets("a")
same(value, b"1")
same(client.cas("a", b"5", unique), True)
same(client.cas("a", b"6", unique), False)
same(client.cas("none", b"6", unique), None)
same(client.touch("a", 100, noreply=False), True)
same(client.touch("none", 100, noreply=False), False)

# without answers, then with one: nothing is left over
for i in range(1000):
    client.set("k%d" % i, b"v%d" % i, noreply=True)
same(client.get_many(["k%d" % i for i in range(1000)]), {"k%d" % i: b"v%d" % i for i in range(1000)})
same(client.set_many({"m%d" % i: b"x" * i for i in range(300)}, noreply=False), [])
same(len(client.gets_many(["m%d" % i for i in range(300)])), 300)
same(client.delete_many(["m%d" % i for i in range(300)], noreply=False), True)

# flags, by which the serializer knows types
flagged = Client(address, timeout=20, serializer=lambda k, v: (repr(v).encode(), 4294967295),
                 deserializer=lambda k, v, f: (v, f))
same(flagged.set("flags", 7, noreply=False), True)
same(flagged.get("flags"), (b"7", 4294967295))

# any bytes, up to the limit
for size in (0, 1, 2, 1000, 65536, 1024 * 1024):
    data = os.urandom(size)
    same(client.set("bytes", data, noreply=False), True)
    same(client.get("bytes"), data)
same(client.set("all", bytes(range(256)) + b"\r\nEND\r\n", noreply=False), True)
same(client.get("all"), bytes(range(256)) + b"\r\nEND\r\n")
try:
    client.set("large", b"x" * (1024 * 1024 + 1), noreply=False)
    raise AssertionError("an item of more than 1 MiB was stored")
except MemcacheServerError:
    pass
same(client.get("large"), None)
try:
    client.incr("all", 1)
    raise AssertionError("bytes were incremented")
except MemcacheClientError:
    pass
same(client.get("a"), b"5")

# time
same(client.set("past", b"x", expire=-1, noreply=False), True)
same(client.get("past"), None)
same(client.set("soon", b"x", expire=1, noreply=False), True)
end = time.monotonic() + 20
while client.get("soon") is not None:
    if time.monotonic() > end:
        raise AssertionError("an item does not expire")
    time.sleep(0.02)
same(client.set("later", b"x", expire=int(time.time()) + 1000, noreply=False), True)
same(client.get("later"), b"x")

assert client.version()
assert b"curr_items" in client.stats()
same(client.flush_all(noreply=False), True)
same(client.get("later"), None)
client.quit()

# many at once: no increment is lost, and no answer is another's
pool = PooledClient(address, max_pool_size=8, timeout=20)
pool.set("n", b"0", noreply=False)
failures = []


def work(number):
    try:
        for i in range(200):
            pool.incr("n", 1)
            key = "t%d-%d" % (number, i % 10)
            pool.set(key, key.encode(), noreply=False)
            same(pool.get(key), key.encode())
    except BaseException as e:
        failures.append(e)


threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if failures:
    raise failures[0]
same(pool.get("n"), b"1600")
print("as it should be")
