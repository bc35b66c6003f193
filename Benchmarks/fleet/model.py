"""The constants and settings of the simulation, with the source of each.

Times are seconds. `measure.py` prints the costs of Redis; other sources are pages of the manual and files of the
gateway. An assumption has no measurement and is marked as such."""

import dataclasses

MICROSECOND = 1e-6


@dataclasses.dataclass(frozen=True)
class Costs:
    """Costs of one Redis server and one gateway, as CPU time."""

    # Redis: `python3 Benchmarks/fleet/measure.py`, Redis 7.0.15.
    record: float = 2.6 * MICROSECOND
    """A record of a complete reading: its marker, HMGET and share of SCAN. Benchmarks/redis/scale.py, 10 million."""
    named_record: float = 1.3 * MICROSECOND
    """A record that an entry names: its marker and HMGET."""
    entry: float = 0.3 * MICROSECOND
    """An entry in a reply to XREAD. Both together: redis_entry."""
    round: float = 16.7 * MICROSECOND
    """A round of commands: read, write, event loop, one small command."""
    wake: float = 23.9 * MICROSECOND
    """A client that waits for an entry: its XREAD, and its reply when an entry arrives."""
    write: float = 33.0 * MICROSECOND
    """A revocation: EVAL and XADD in one write, with `appendfsync everysec`: redis_write_everysec."""
    other_key: float = 0.7 * MICROSECOND
    """A key in a slice that is not a record: accounts, links, addresses."""
    information: float = 5.0 * MICROSECOND
    """XINFO STREAM, in a round with other commands."""
    identity: float = 21.0 * MICROSECOND
    """INFO, in a round with other commands."""
    connection: float = 60.0 * MICROSECOND
    """A new connection and its handshake."""
    lookup: float = 16.0 * MICROSECOND
    """The HMGET of a request of a `strict` route, alone in its round."""
    heartbeat: float = 16.0 * MICROSECOND
    """The command that checks a connection each second, alone in its round."""

    # Gateway.
    gateway_record: float = 2.5 * MICROSECOND
    """A record: formatting, parsing, hashing, writing the view. Benchmarks/redis/scale.py: 25 s for 10 million."""
    gateway_round: float = 60.0 * MICROSECOND
    """Latency between the last reply of a round and the commands of the next one."""

    # Bytes, measured by measure.py.
    record_to_redis: int = 136
    record_from_redis: int = 101
    entry_from_redis: int = 95


@dataclasses.dataclass(frozen=True)
class Timing:
    """The schedule of a gateway. Sources: ReplicaTiming and ReplicaBounds, RedisConfiguration, RedisBackoff."""

    max_staleness: float = 60.0
    """`revocation.max_staleness`."""
    strict_timeout: float = 0.05
    """`revocation.strict_timeout`."""
    entries: int = 1000
    """Entries of one XREAD."""
    hints: int = 1000
    """Named records of one round."""
    slice: int = 1000
    """SCAN COUNT."""
    records: int = 2000
    """Records of a slice in one round."""
    reread: float = 3600.0
    """The interval of scheduled readings."""
    reread_jitter: float = 0.1
    """The share of that interval that is random."""
    pause: float = 0.02
    """The pause between slices of a scheduled reading."""
    reply: float = 5.0
    """The timeout of a round."""
    backoff: float = 0.1
    maximum_backoff: float = 5.0
    """The pause after an error."""
    connect_timeout: float = 2.0
    silence: float = 1.0
    """The time without a byte after a deadline that closes a connection; at most four times as long in total."""
    reconnect: float = 0.05
    maximum_reconnect: float = 2.0
    """The delay of a new connection, with full jitter."""
    stream: int = 1_000_000
    """Entries that the stream keeps (MAXLEN)."""

    @property
    def block(self):
        return min(5.0, self.max_staleness / 4)

    @property
    def check(self):
        return min(0.25, self.max_staleness / 4)


@dataclasses.dataclass(frozen=True)
class Network:
    """One-way delays. Assumptions, typical of a cloud provider."""

    near: float = 0.00025
    """Between zones of a region: a round trip of 0.5 ms."""
    far: float = 0.040
    """Between two continents: a round trip of 80 ms."""


TURN = 16 * 1024
"""Bytes that Redis reads of one client in a turn of its event loop (PROTO_IOBUF_LEN)."""

# Memory. Sources: docs/internals/performance.md (a store over Redis), docs/reference/redis.md (memory).
GATEWAY_MEMORY = 38 * 2**20
GATEWAY_WORKER_MEMORY = 57 * 2**20  # A full cache of verified tokens: 95 MiB with one worker.
GATEWAY_USER_MEMORY = 37.6
REDIS_RECORD_MEMORY = 155
REDIS_ENTRY_MEMORY = 46
REDIS_CONNECTION_MEMORY = 40 * 1024


def gateway_memory(records, workers=1):
    return GATEWAY_MEMORY + workers * GATEWAY_WORKER_MEMORY + records * GATEWAY_USER_MEMORY


def redis_memory(records, entries, connections):
    return records * REDIS_RECORD_MEMORY + entries * REDIS_ENTRY_MEMORY + connections * REDIS_CONNECTION_MEMORY
