#!/usr/bin/env python3
"""Measures the memory of Redis for each kind of record that docs/reference/redis.md defines.

    python3 Benchmarks/redis/memory.py [--records 100000]

Starts redis-server without persistence on a free port of 127.0.0.1, writes the records of one kind, and divides the
growth of used_memory by their number. The uids have 28 characters, like those of Firebase. Each kind has a server of
its own."""

import argparse
import hashlib
import socket
import subprocess
import tempfile
import time

NOW = "1700000000"


def uid(number):
    return hashlib.sha256(str(number).encode()).hexdigest()[:28]


def user(number, *fields):
    return ["HSET", f"gatehouse:user:{{{uid(number)}}}", *fields]


def session(number, *fields):
    return ["HSET", f"gatehouse:session:{{{uid(number)}}}:{NOW}", *fields]


KINDS = {
    "a revoked user: valid_since": lambda n: [user(n, "valid_since", NOW)],
    "a user with valid_since and disabled": lambda n: [user(n, "valid_since", NOW, "disabled", "1")],
    "a user with a session: last_session": lambda n: [user(n, "last_session", NOW)],
    "a session: signed_in_at": lambda n: [session(n, "signed_in_at", NOW)],
    "a session: signed_in_at, with an expiry": lambda n: [
        session(n, "signed_in_at", NOW), ["EXPIREAT", f"gatehouse:session:{{{uid(n)}}}:{NOW}", "4102444800"]],
    "a revoked session: revoked": lambda n: [session(n, "revoked", "1")],
    "a nonce, with an expiry": lambda n: [
        ["SET", f"gatehouse:nonce:{hashlib.sha256(str(n).encode()).hexdigest()}", "sign-in", "EX", "3600"]],
    "a used credential, with an expiry": lambda n: [
        ["SET", f"gatehouse:seen:{hashlib.sha256(str(n).encode()).hexdigest()}", "", "EX", "3600"]],
    "a shared rate limit of a user, with an expiry": lambda n: [
        ["SET", f"gatehouse:rate:{{0123456789abcdef:u{hashlib.sha256(str(n).encode()).hexdigest()[:32]}}}",
         "95965968148171.000", "PX", "3600000"]],
    "an entry of the stream of changes": lambda n: [
        ["XADD", "gatehouse:changes", "*", "uid", uid(n), "valid_since", NOW]],
}


class Redis:
    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
             self.folder.name], stdout=subprocess.DEVNULL)
        while self.call("PING").strip() != "PONG":
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def call(self, *words):
        command = ["redis-cli", "-p", self.port, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def used(self):
        return next(int(line.split(":")[1]) for line in self.call("INFO", "memory").splitlines()
                    if line.startswith("used_memory:"))

    def write(self, commands):
        text = "".join(f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
                       for words in commands)
        subprocess.run(["redis-cli", "-p", self.port, "--pipe"], input=text.encode(), check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="records of each kind")
    options = parser.parse_args()
    for name, commands in KINDS.items():
        with Redis() as redis:
            before = redis.used()
            redis.write(command for number in range(options.records) for command in commands(number))
            print(f"{name:45}{(redis.used() - before) / options.records:8.1f} bytes", flush=True)


if __name__ == "__main__":
    main()
