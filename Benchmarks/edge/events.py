#!/usr/bin/env python3
"""Measures the delay of server-sent events through a gateway, and the time until a revocation ends a stream.

    .build-bench/bin/python Benchmarks/edge/events.py [--gatehouse .build/release/gatehouse]
        [--events 1000] [--every 4] [--rounds 2] [--times 20]

The upstream writes the monotonic time into each event. The client compares it with the time at which it reads the
event. Streams run in turn directly from the upstream and through the gateway. Needs the packages that websocket.py
needs. All traffic is on 127.0.0.1."""

import http.client
import re
import threading
import time

from testbed import Claims, Testbed, arguments, quantile, revoke, uid

EVENT = re.compile(rb"id: (\d+)\ndata: (\d+)\n\n")


def read(port, token, events, every):
    """Reads a stream. Returns the delays in ms in the order of arrival, whether all events arrived in order, and the
    number of reads with data."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    connection.request("GET", f"/events?count={events}&every={every}", headers=headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    delays, numbers, pieces, rest = [], [], 0, b""
    while piece := response.read1(65536):
        now, rest, pieces = time.monotonic_ns(), rest + piece, pieces + 1
        for found in EVENT.finditer(rest):
            numbers.append(int(found[1]))
            delays.append((now - int(found[2])) / 1e6)
        rest = rest[rest.rfind(b"\n\n") + 2:] if b"\n\n" in rest else rest
    connection.close()
    return delays, numbers == list(range(events)), pieces


def revoke_one(gateway, token, index):
    """Revokes the user of a stream. Returns the ms from sending the revocation to the end of the stream, and the kind
    of end."""
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=10)
    connection.request("GET", "/events?count=5000&every=2", headers={"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    for _ in range(5):
        response.read1(4096)
    began = time.monotonic()
    revoking = threading.Thread(target=revoke, args=(gateway, uid(index), int(time.time())))
    revoking.start()
    try:
        while response.read1(65536):
            pass
        how = "a complete response"
    except (OSError, http.client.HTTPException) as error:
        how = type(error).__name__
    ended = time.monotonic()
    revoking.join()
    connection.close()
    return (ended - began) * 1000, how


def main():
    options = arguments(__doc__, ("events", 1000, "events in a stream"), ("every", 4, "interval of events in ms"),
                        ("rounds", 2, "rounds of one direct stream and one through the gateway"),
                        ("times", 20, "streams that a revocation ends"))
    claims = Claims()
    with Testbed(options.gatehouse) as testbed:
        upstream = testbed.upstream("events").port
        gateway = testbed.gateway({
            "upstreams": {"events": {"servers": [f"http://127.0.0.1:{upstream}"]}},
            "routes": [{"path": "/events", "upstream": "events"}]})
        token = testbed.mint.token(10_000_000)
        rows = {"directly": [], "the gateway": []}
        for _ in range(options.rounds):
            for name, port in (("directly", upstream), ("the gateway", gateway.port)):
                rows[name].append(read(port, token, options.events, options.every))
        print(f"ms from sending to reading an event, {options.rounds} streams of {options.events} events, "
              f"{options.every} ms apart")
        print(f"{'':14}{'events':>8}{'reads':>8}{'p50':>8}{'p90':>8}{'p99':>8}{'max':>8}")
        found = {}
        for name, results in rows.items():
            delays = [delay for result in results for delay in result[0]]
            found[name] = delays
            print(f"{name:14}{len(delays):8}{sum(r[2] for r in results):8}"
                  + "".join(f"{quantile(delays, s):8.2f}" for s in (0.5, 0.9, 0.99, 1)))
        ours = found["the gateway"]
        claims.hold(all(result[1] for result in rows["the gateway"]), f"all {len(ours)} events arrived in order")
        late, direct = quantile(ours, 0.99), quantile(found["directly"], 0.99)
        claims.hold(late < direct + 10, f"99 % of the events were read within {late:.2f} ms of being sent; "
                                        f"directly within {direct:.2f} ms (bound: 10 ms more)")
        added = quantile(ours, 0.5) - quantile(found["directly"], 0.5)
        claims.hold(added < 2, f"the gateway adds {added:.2f} ms to the median (bound: 2 ms)")
        ends = [revoke_one(gateway, testbed.mint.token(index), index) for index in range(options.times)]
        times = [milliseconds for milliseconds, _ in ends]
        print(f"\nms from sending a revocation to the end of the stream, {len(ends)} times: "
              f"p50 {quantile(times, 0.5):.2f}, p90 {quantile(times, 0.9):.2f}, max {max(times):.2f}; "
              f"kinds of end: {sorted({how for _, how in ends})}")
        claims.hold(max(times) < 1000, f"each stream ended within a second of the revocation of its user; "
                                       f"the slowest took {max(times):.1f} ms")
    claims.end()


if __name__ == "__main__":
    main()
