"""The scenarios of the fleet. Each function returns rows: dictionaries of names and numbers, in seconds unless the name
has a unit."""

import dataclasses
import math

from model import Costs, Timing, gateway_memory, redis_memory
from simulation import Fleet, percentile

COSTS, TIMING = Costs(), Timing()
MILLION = 1_000_000
# Larger readings are simulated for a window, and their time follows from the progress in it.
LARGEST_READING = 60 * MILLION


def heartbeats(gateways, workers=4):
    """The share of Redis that checks of connections take each second: one for writes, one of each worker.

    The check of the replica's connection waits for the end of its XREAD."""
    return gateways * (1.2 + workers) * COSTS.heartbeat


def latencies(fleet, prefix="propagation"):
    values, slowest = fleet.measures.latencies, list(fleet.measures.slowest.values())
    return {
        f"{prefix} p50": percentile(values, 0.5), f"{prefix} p99": percentile(values, 0.99),
        f"{prefix} max": max(values, default=math.nan), "last gateway p99": percentile(slowest, 0.99)}


def stride(gateways, rate, seconds, samples=100_000):
    return max(1, int(gateways * rate * seconds / samples))


def steady(gateways, rate, seconds=None, regions=1, seed=1, workers=4):
    """All gateways follow; no reading. The first second is not measured."""
    # Enough time for fifty revocations, little for a busy Redis.
    seconds = seconds or max(4, min(50, 50 / rate))
    background = heartbeats(gateways, workers)
    fleet = Fleet(gateways, records=MILLION, rate=rate, regions=regions, seed=seed,
                  stride=stride(gateways, rate, seconds), background=background)
    fleet.start(spread=1, warm=True)
    fleet.run(2)
    fleet.measures.latencies.clear()
    fleet.measures.slowest.clear()
    lag = fleet.lag()
    fleet.run(2 + seconds)
    return {"gateways": gateways, "revocations/s": rate, "regions": regions, **latencies(fleet),
            "redis busy": background + (1 - background) * min(1, fleet.utilization(2, 2 + seconds)),
            "lag grows/s": max(0, fleet.lag() - lag) / seconds,
            "acknowledged p99": percentile(fleet.measures.acknowledgements, 0.99),
            "violations": fleet.measures.violations}


def capacity(gateways):
    """The rate at which the records that entries name take all of Redis: a bound without any round."""
    each = gateways * (COSTS.named_record + COSTS.entry) + COSTS.write
    return (1 - heartbeats(gateways)) / each


def burst(gateways, entries, rate=20_000, seed=1):
    """A backend revokes many users at once."""
    fleet = Fleet(gateways, records=MILLION, seed=seed, stride=stride(gateways, entries, 1),
                  background=heartbeats(gateways))
    fleet.start(spread=1, warm=True)
    fleet.run(2.0)
    fleet.burst(entries, rate)
    end = 2 + entries / rate

    def is_over():
        return fleet.clock.now > end and fleet.lag() == 0 and all(g.is_whole for g in fleet.gateways)

    step = float(fleet.clock.now)
    while not is_over() and step < 2000:
        step += 1
        fleet.run(step)
    fleet.finish()
    return {"gateways": gateways, "entries": entries, "written in": entries / rate, **latencies(fleet),
            "all applied after": fleet.clock.now - 2, "readings": fleet.measures.readings["gap"],
            "503 per gateway": fleet.measures.unavailable / gateways, "violations": fleet.measures.violations}


def read_records(fleet, gateway):
    """The records that the current reading of a gateway has read, or all after it."""
    if gateway.reread:
        return gateway.reread.listed - gateway.reread.keys
    return fleet.redis.records if gateway.is_whole and gateway.followed is fleet.redis else 0


def progress(fleet):
    return sum(read_records(fleet, gateway) for gateway in fleet.gateways)


def reading(gateways, records, *, rate=10, probes=20, other_keys=0, failover=False, seed=1, window=10.0, regions=1,
            costs=COSTS, timing=TIMING):
    """All gateways read everything at the same time: a restart of all, or a failover."""
    fleet = Fleet(gateways, records=records, rate=rate, probes=probes, other_keys=other_keys, regions=regions,
                  seed=seed, costs=costs, timing=timing, background=heartbeats(gateways))
    begin = 10.0 if failover else 0.0
    if failover:
        fleet.start(warm=True)
        fleet.run(begin)
        fleet.measures.latencies.clear()
        fleet.measures.lookups.clear()
        # The replica lacks the writes of 20 ms.
        fleet.fail_over(after=2.3, lost=max(1, int(rate * 0.02)))
    else:
        fleet.start(spread=1)
    row = {"gateways": gateways, "records": records, "regions": regions}
    is_whole = gateways * records <= LARGEST_READING

    def is_over():
        return all(g.is_whole and g.sweep_after is None for g in fleet.gateways)

    if is_whole:
        step = begin + 5
        while step < 3000:
            fleet.run(step)
            if is_over():
                break
            step += 1
        total = max(time for (_, server), time in fleet.measures.confirmations.items()
                    if server == fleet.redis.name) - begin
        row["simulated"] = fleet.clock.now - begin
    else:
        # The failover, connections and first rounds take the first seconds.
        first, last = begin + 6, begin + 6 + window
        fleet.run(first)
        before = progress(fleet)
        fleet.measures.lookups.clear()
        fleet.run(last)
        speed = (progress(fleet) - before) / window
        total = gateways * records / speed if speed > 1000 else math.inf
        row["simulated"] = window
    first = begin + (3 if failover else 0)
    busy = fleet.utilization(first, max(first + 1, min(fleet.clock.now, begin + math.ceil(min(total, 20)))))
    lookups = [value for value in fleet.measures.lookups if value < math.inf]
    late = [value for value in lookups if value > timing.strict_timeout]
    fleet.finish()
    row |= {
        "all read after": total, "503 at most": max(0.0, total - timing.max_staleness) if failover else math.nan,
        "redis busy": busy, "longest turn": max(server.longest_turn for server in fleet.servers),
        "strict p50": percentile(lookups, 0.5), "strict p99": percentile(lookups, 0.99),
        "strict late": len(late) / max(1, len(lookups)), **latencies(fleet),
        "acknowledged p99": percentile(fleet.measures.acknowledgements, 0.99),
        "timeouts": fleet.measures.timeouts, "connections lost": fleet.measures.lost_connections,
        "violations": fleet.measures.violations}
    return row


def rolling(at_once, records=MILLION, seed=1, regions=1, timing=TIMING):
    """Some gateways restart at once, as in a rolling update."""
    scaled = 100_000
    fleet = Fleet(at_once * regions, records=scaled, seed=seed, regions=regions, timing=timing)
    fleet.start()
    fleet.run(600, lambda: fleet.all_ready)
    each = max(fleet.measures.ready.values()) * records / scaled
    return {"at once": at_once, "records": records, "regions": regions, "each": each,
            "100 gateways": 100 / at_once * each, "1000 gateways": 1000 / at_once * each,
            "redis busy": at_once * records * COSTS.record / each}


def scheduled(gateways, records, window, spread=360.0, rate=10, probes=20, seed=1):
    """The hourly readings. After a restart of all gateways at once they begin within 6 minutes, an hour later."""
    fleet = Fleet(gateways, records=records, rate=rate, probes=probes, seed=seed, background=heartbeats(gateways))
    fleet.start(spread=1, warm=True, readings=(5, 5 + spread))
    fleet.run(5)
    fleet.measures.latencies.clear()
    fleet.measures.lookups.clear()
    fleet.run(5 + window)
    lookups = fleet.measures.lookups
    return {"gateways": gateways, "records": records, "begin within": spread, "simulated": window, **latencies(fleet),
            "redis busy": fleet.utilization(5 + window / 2, 5 + window),
            "strict p99": percentile(lookups, 0.99),
            "strict late": sum(value > TIMING.strict_timeout for value in lookups) / max(1, len(lookups)),
            "concurrent": sum(g.reread is not None for g in fleet.gateways)}


def link_down(gateways, rate, seconds, records=MILLION, seed=1, timing=TIMING):
    """The second region is cut off. The entries of that time are added before the link is restored."""
    fleet = Fleet(gateways, records=records, regions=2, seed=seed, timing=timing, background=heartbeats(gateways))
    far = [g for g in fleet.gateways if g.number % 2]
    fleet.start(warm=True)
    fleet.run(5)
    fleet.cut(1)
    fleet.run(5 + seconds)
    missed = int(rate * seconds)
    fleet.redis.last += missed
    fleet.redis.first = max(1, fleet.redis.last - timing.stream + 1)
    for gateway in fleet.gateways:
        if gateway not in far:
            gateway.position = gateway.applied = fleet.redis.last
    fleet.measures.stride = stride(gateways, rate, 30)
    fleet.rate = rate
    fleet.clock.at(fleet.clock.now, fleet.revoke)
    fleet.restore(1)
    restored = float(fleet.clock.now)

    def is_over():
        return all(g.is_whole and g.confirmed > restored for g in far)

    step = float(restored)
    while not is_over() and step < restored + 1500:
        step += 1
        fleet.run(step)
    fleet.finish()
    stale = [[(start, end) for number, start, end in fleet.measures.stale if number % 2 == region]
             for region in (0, 1)]
    lost = [sum(end - start for start, end in times) for times in stale]
    return {"gateways": gateways, "revocations/s": rate, "cut": seconds, "missed": missed,
            "current again after": fleet.clock.now - restored,
            "503 per far gateway": lost[1] / len(far), "503 of near gateways": lost[0],
            "readings": fleet.measures.readings["gap"],
            "redis busy": fleet.utilization(restored + 1, restored + 4), "violations": fleet.measures.violations}


def memory(records, gateways, workers=1, entries=MILLION, restricted=None):
    """Memory of each gateway, whose view has only the records that restrict a user, and of Redis."""
    view = records if restricted is None else restricted
    return {"records": records, "gateways": gateways, "gateway MiB": gateway_memory(view, workers) / 2**20,
            "redis GiB": redis_memory(records, entries, gateways * (2 + workers)) / 2**30}


def collapse(gateways, factor=1.0, seed=1):
    """Readings whose rounds take longer than their timeout. `factor` multiplies the costs of Redis."""
    names = ("record", "named_record", "entry", "round", "wake", "write", "lookup")
    costs = dataclasses.replace(COSTS, **{name: getattr(COSTS, name) * factor for name in names})
    fleet = Fleet(gateways, records=10 * MILLION, seed=seed, costs=costs, background=heartbeats(gateways))
    fleet.start(spread=1)
    fleet.run(90)
    return {"gateways": gateways, "factor": factor, "read by each in 90 s": progress(fleet) // gateways,
            "abandoned readings": fleet.measures.abandoned, "connections lost": fleet.measures.lost_connections,
            "redis busy": fleet.utilization(10, 90)}
