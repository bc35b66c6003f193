#!/usr/bin/env python3
"""Measures the costs of Redis that the simulation of a fleet uses.

    python3 Benchmarks/fleet/measure.py [--records 200000] [--only NAME]

Starts redis-server without persistence on a free port of 127.0.0.1, and sends the commands of a gateway as bytes,
each after its marker (ECHO). The costs are CPU time of redis-server from INFO, including the time in the kernel, so
that other load on the machine changes them little."""

import argparse
import hashlib
import socket
import subprocess
import tempfile
import threading
import time

PATTERN, STREAM = "gatehouse:[us]*", "gatehouse:changes"
ENTRY = ("XADD", STREAM, "MAXLEN", "~", 1_000_000, "*")
MARKER = b"*2\r\n$4\r\nECHO\r\n$16\r\n0123456789abcdef\r\n"
# The script for other backends of docs/reference/redis.md, which is close to the gateway's own.
REVOKE = ("local old = redis.call('HGET', KEYS[1], 'valid_since') if not old or tonumber(old) < tonumber(ARGV[1]) then "
          "redis.call('HSET', KEYS[1], 'valid_since', ARGV[1]) end")


def encode(*words):
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def marked(*words):
    return MARKER + encode(*words)


def user_key(number):
    return f"gatehouse:user:{{{hashlib.sha256(str(number).encode()).hexdigest()[:28]}}}"


class Connection:
    """A pipelined connection that parses replies only as far as needed to find their ends."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", 1 << 20)
        self.received = self.sent = 0

    def line(self):
        line = self.file.readline()
        self.received += len(line)
        return line

    def reply(self):
        line = self.line()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            if rest == b"-1":
                return None
            data = self.file.read(int(rest) + 2)
            self.received += len(data)
            return data[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.reply() for _ in range(int(rest))]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        return rest

    def send(self, data):
        self.sent += len(data)
        self.socket.sendall(data)

    def call(self, *words):
        self.send(encode(*words))
        return self.reply()

    def round(self, commands):
        """Sends marked commands in one write and returns the replies without the markers."""
        self.send(b"".join(commands))
        return [(self.reply(), self.reply())[1] for _ in commands]

    def close(self):
        self.file.close()
        self.socket.close()


class Redis:
    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
             "--dir", self.folder.name, *self.options], stdout=subprocess.DEVNULL)
        for _ in range(500):
            try:
                self.control = Connection(self.port)
                return self
            except OSError:
                time.sleep(0.02)
        raise SystemExit("redis-server does not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def info(self, section):
        text = self.control.call("INFO", section).decode()
        return dict(line.split(":", 1) for line in text.split("\r\n") if ":" in line)

    def cpu(self):
        """Returns the CPU time of the server in microseconds."""
        info = self.info("cpu")
        return 1e6 * (float(info["used_cpu_user"]) + float(info["used_cpu_sys"]))

    def fill(self, records):
        for start in range(0, records, 10_000):
            numbers = range(start, min(start + 10_000, records))
            self.control.send(b"".join(encode("HSET", user_key(n), "valid_since", 1_700_000_000) for n in numbers))
            for _ in numbers:
                self.control.reply()

    def announce(self, number, count=1):
        """Appends entries of the stream. Returns the id of the last one."""
        for n in range(number, number + count):
            uid = user_key(n)[16:-1]
            last = self.control.call(*ENTRY, "uid", uid, "valid_since", "1700000001")
        return last


def hmget(key):
    return marked("HMGET", key, "valid_since", "disabled")


def report(name, value, unit, note=""):
    print(f"{name:44}{value:10.3f} {unit:8}{note}", flush=True)
    return value


def reread(records):
    """Reads everything as a gateway does: the records of a slice and the next slice in each round."""
    with Redis() as redis:
        redis.fill(records)
        client = Connection(redis.port)
        before, began, keys, cursor, count = redis.cpu(), time.monotonic(), [], b"0", 0
        while True:
            commands = [hmget(key) for key in keys]
            if cursor is not None:
                commands.append(marked("SCAN", cursor, "MATCH", PATTERN, "COUNT", 1000))
            replies = client.round(commands)
            count += len(keys)
            keys = []
            if cursor is None:
                break
            cursor, keys = replies[-1]
            cursor = None if cursor == b"0" else cursor
        cost = (redis.cpu() - before) / count
        report("redis_record", cost, "us", f"{count:,} records; {time.monotonic() - began:.1f} s with this client")
        report("record_bytes_to_redis", client.sent / count, "bytes")
        report("record_bytes_from_redis", client.received / count, "bytes")


def scan(records):
    """Scans keys that do not match, as those of accounts and links."""
    with Redis() as redis:
        for start in range(0, records, 10_000):
            redis.control.send(b"".join(encode("SET", f"gatehouse:link:{{google.com:{n:021d}}}", "x")
                                        for n in range(start, start + 10_000)))
            for _ in range(10_000):
                redis.control.reply()
        before, cursor = redis.cpu(), b"0"
        while True:
            cursor, _ = redis.control.call("SCAN", cursor, "MATCH", PATTERN, "COUNT", 1000)
            if cursor == b"0":
                break
        report("redis_other_key", (redis.cpu() - before) / records, "us", "a key in a slice that is no record")


def hints(records):
    """Reads records that entries name, in rounds of different sizes. Fits the cost of a round and of an entry."""
    with Redis() as redis:
        redis.fill(records)
        client, points = Connection(redis.port), []
        for size, rounds in ((1, 3000), (10, 1000), (100, 200), (1000, 30)):
            redis.announce(0, size)
            first = redis.control.call("XREVRANGE", STREAM, "+", "-", "COUNT", size)[-1][0]
            stamp, _, number = first.partition(b"-")
            start = b"%d-%d" % (int(stamp) - 1, 0) if number == b"0" else b"%s-%d" % (stamp, int(number) - 1)
            commands = [hmget(user_key(7 * n % records)) for n in range(size)]
            commands.append(marked("XREAD", "COUNT", 1000, "STREAMS", STREAM, start))
            before = redis.cpu()
            for _ in range(rounds):
                client.round(commands)
            points.append((size, (redis.cpu() - before) / rounds))
            if size == 1000:
                before = redis.cpu()
                for _ in range(rounds):
                    client.round(commands[-1:])
                entries = (redis.cpu() - before) / rounds
        (a, x), (b, y) = points[0], points[-1]
        slope = (y - x) / (b - a)
        report("redis_round", x - slope, "us", "a round without entries: read, write, event loop, XREAD")
        report("redis_entry", slope, "us", "an entry in XREAD and the record that it names; " +
               ", ".join(f"{n}: {cost / n:.2f}" for n, cost in points))
        report("redis_stream_entry", (entries - x + slope) / 1000, "us", "of which in XREAD")


def wakes(records, clients=50, times=300):
    """Wakes clients that wait for an entry. Each then waits again."""
    with Redis() as redis:
        position, stop = redis.announce(0), threading.Event()
        followers = [Connection(redis.port) for _ in range(clients)]

        def wait_again(last):
            for follower in followers:
                follower.send(marked("XREAD", "COUNT", 1000, "BLOCK", 5000, "STREAMS", STREAM, last))
            while int(redis.info("clients")["blocked_clients"]) < clients:
                time.sleep(0.001)

        wait_again(position)
        spent = alone = 0.0
        for number in range(times):
            before = redis.cpu()
            last = redis.announce(number)
            for follower in followers:
                follower.reply(), follower.reply()
            spent += redis.cpu() - before
            before = redis.cpu()
            wait_again(last)
            spent += redis.cpu() - before
        for follower in followers:
            follower.close()
        stop.set()
        time.sleep(0.1)
        before = redis.cpu()
        for number in range(times):
            redis.announce(number)
            redis.cpu()
            redis.info("clients"), redis.cpu()
        alone = redis.cpu() - before
        report("redis_wake", (spent - alone) / times / clients, "us", "a waiting client: XREAD BLOCK and its reply")


def writes(records, times=5000):
    """A revocation: the record and its entry in one write, each after its marker. No client follows."""
    for name, options in (("redis_write", ()), ("redis_write_everysec", ("--appendonly", "yes"))):
        with Redis(*options) as redis:
            redis.fill(records)
            client, before = Connection(redis.port), redis.cpu()
            for number in range(times):
                client.round([marked("EVAL", REVOKE, 1, user_key(number % records), 1_700_000_002),
                              marked(*ENTRY, "uid", user_key(number)[16:-1], "valid_since", "1700000002")])
            report(name, (redis.cpu() - before) / times, "us", "EVAL and XADD")


def questions(records, times=2000):
    with Redis() as redis:
        redis.fill(1000)
        redis.announce(0)
        client = Connection(redis.port)
        for name, command in (("redis_info", ["INFO"]), ("redis_xinfo", ["XINFO", "STREAM", STREAM]),
                              ("redis_lookup", ["HMGET", user_key(1), "valid_since", "disabled"]),
                              ("redis_heartbeat", ["ROLE"])):
            before = redis.cpu()
            for _ in range(times):
                client.round([marked(*command)])
            report(name, (redis.cpu() - before) / times, "us", "alone in its round")
        before = redis.cpu()
        for _ in range(times // 4):
            other = Connection(redis.port)
            other.round([encode("SELECT", 0) + MARKER, encode("ROLE")])
            other.close()
        report("redis_connect", (redis.cpu() - before) / (times // 4), "us", "a connection and its handshake")


def snapshot(records):
    """The same records as fields of hashes, read by HSCAN: a cost that the present format does not reach."""
    with Redis() as redis:
        for start in range(0, records, 1000):
            numbers = range(start, min(start + 1000, records))
            words = [word for n in numbers for word in (user_key(n)[16:-1], "1700000000")]
            redis.control.call("HSET", f"snapshot:{start // 10_000}", *words)
        client, before = Connection(redis.port), redis.cpu()
        for part in range((records + 9999) // 10_000):
            cursor = b"0"
            while True:
                cursor, _ = client.round([marked("HSCAN", f"snapshot:{part}", cursor, "COUNT", 1000)])[0]
                if cursor == b"0":
                    break
        report("hscan_record", (redis.cpu() - before) / records, "us", "not used by the gateway")


def turns(records, readers=8, seconds=3):
    """The latency of PING beside clients whose rounds have 1,000 records: Redis serves 16 KiB of each in turn."""
    with Redis() as redis:
        redis.fill(records)
        data = b"".join(hmget(user_key(n)) for n in range(1000))
        stop = threading.Event()

        def read():
            client = socket.create_connection(("127.0.0.1", redis.port))
            client.setblocking(True)
            client.sendall(data)
            sizes = None
            while not stop.is_set():
                got = 0
                while sizes is None or got < sizes:
                    client.settimeout(0.5)
                    try:
                        got += len(client.recv(1 << 20))
                    except TimeoutError:
                        break
                    except OSError:
                        return  # The server has ended.
                sizes = sizes or got
                client.sendall(data)

        threads = [threading.Thread(target=read, daemon=True) for _ in range(readers)]
        probe, latencies = Connection(redis.port), []
        for thread in threads:
            thread.start()
        time.sleep(1)
        end, before = time.monotonic() + seconds, redis.cpu()
        served = int(redis.info("commandstats")["cmdstat_hmget"].split("calls=")[1].split(",")[0])
        began = time.monotonic()
        while time.monotonic() < end:
            sent = time.monotonic()
            probe.call("PING")
            latencies.append(time.monotonic() - sent)
            time.sleep(0.002)
        cost = redis.cpu() - before
        served = int(redis.info("commandstats")["cmdstat_hmget"].split("calls=")[1].split(",")[0]) - served
        busy = cost / 1e6 / (time.monotonic() - began)
        stop.set()
        latencies.sort()
        record = cost / served
        report("ping_beside_readers_p50", latencies[len(latencies) // 2] * 1e6, "us",
               f"{readers} readers, Redis busy {busy:.0%}, {record:.2f} us per record")
        report("ping_beside_readers_p90", latencies[len(latencies) * 9 // 10] * 1e6, "us")
        report("a turn of 16 KiB of each reader", readers * 16384 / (len(data) / 1000) * record, "us", "expected bound")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200_000, help="records in Redis")
    parser.add_argument("--only", help="one measurement: the name of a function of this file")
    options = parser.parse_args()
    for measurement in (reread, scan, hints, wakes, writes, questions, snapshot, turns):
        if options.only in (None, measurement.__name__):
            measurement(options.records)


if __name__ == "__main__":
    main()
