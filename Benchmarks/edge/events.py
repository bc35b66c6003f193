#!/usr/bin/env python3
"""An event stream through a gateway: how much later than its sending each event is read, and how soon a revocation ends the stream.

    .build-bench/bin/python Benchmarks/edge/events.py [--gatehouse .build/release/gatehouse] [--events 1000] [--every 4] [--rounds 2] [--times 20]

The upstream writes the monotonic time into each event; the client compares it with its own when it reads the event, directly from the upstream and
through the gateway, in turn. Needs what websocket.py needs. Nothing leaves 127.0.0.1."""

import http.client
import re
import threading
import time

from stand import Claims, Stand, arguments, quantile, revoke, uid

EVENT = re.compile(rb"id: (\d+)\ndata: (\d+)\n\n")


def read(port, token, events, every):
    """Returns each event's delay in ms, in the order they came, whether that was their order, and how many pieces they came in."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/events?count={events}&every={every}", headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    delays, numbers, pieces, rest = [], [], 0, b""
    while piece := answer.read1(65536):
        now, rest, pieces = time.monotonic_ns(), rest + piece, pieces + 1
        for found in EVENT.finditer(rest):
            numbers.append(int(found[1]))
            delays.append((now - int(found[2])) / 1e6)
        rest = rest[rest.rfind(b"\n\n") + 2:] if b"\n\n" in rest else rest
    connection.close()
    return delays, numbers == list(range(events)), pieces


def revoke_one(gateway, token, index):
    """The ms from sending the revocation until the stream has ended, and how it ended."""
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=10)
    connection.request("GET", "/events?count=5000&every=2", headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    for _ in range(5):
        answer.read1(4096)
    began = time.monotonic()
    revoking = threading.Thread(target=revoke, args=(gateway, uid(index), int(time.time())))
    revoking.start()
    try:
        while answer.read1(65536):
            pass
        how = "a complete answer"
    except (OSError, http.client.HTTPException) as error:
        how = type(error).__name__
    ended = time.monotonic()
    revoking.join()
    connection.close()
    return (ended - began) * 1000, how


def main():
    options = arguments(__doc__, ("events", 1000, "of one stream"), ("every", 4, "ms from one event to the next"),
                        ("rounds", 2, "each directly and through the gateway"), ("times", 20, "that a stream is ended by a revocation"))
    claims = Claims()
    with Stand(options.gatehouse) as stand:
        upstream = stand.upstream("events").port
        gateway = stand.gateway({
            "upstreams": {"events": {"servers": [f"http://127.0.0.1:{upstream}"]}}, "routes": [{"path": "/events", "upstream": "events"}]})
        token = stand.mint.token(10_000_000)
        rows = {"directly": [], "the gateway": []}
        for _ in range(options.rounds):
            for name, port in (("directly", upstream), ("the gateway", gateway.port)):
                rows[name].append(read(port, token, options.events, options.every))
        print(f"ms from an event's sending to its reading, {options.rounds} streams of {options.events} events, {options.every} ms apart")
        print(f"{'':14}{'events':>8}{'pieces':>8}{'p50':>8}{'p90':>8}{'p99':>8}{'max':>8}")
        found = {}
        for name, results in rows.items():
            delays = [delay for result in results for delay in result[0]]
            found[name] = delays
            print(f"{name:14}{len(delays):8}{sum(r[2] for r in results):8}" + "".join(f"{quantile(delays, s):8.2f}" for s in (0.5, 0.9, 0.99, 1)))
        ours = found["the gateway"]
        claims.hold(all(result[1] for result in rows["the gateway"]), f"each of {len(ours)} events came, in order")
        late, direct = quantile(ours, 0.99), quantile(found["directly"], 0.99)
        claims.hold(late < direct + 10, f"99 of 100 were read within {late:.2f} ms of their sending; directly within {direct:.2f} ms (bound: 10 ms more)")
        added = quantile(ours, 0.5) - quantile(found["directly"], 0.5)
        claims.hold(added < 2, f"the gateway adds {added:.2f} ms to the median (bound: 2 ms)")
        ends = [revoke_one(gateway, stand.mint.token(index), index) for index in range(options.times)]
        times = [milliseconds for milliseconds, _ in ends]
        print(f"\nms from sending a revocation to the end of the stream, {len(ends)} times: "
              f"p50 {quantile(times, 0.5):.2f}, p90 {quantile(times, 0.9):.2f}, max {max(times):.2f}; ended as {sorted({how for _, how in ends})}")
        claims.hold(max(times) < 1000, f"each was ended within a second of its user's revocation; the slowest took {max(times):.1f} ms")
    claims.end()


if __name__ == "__main__":
    main()
