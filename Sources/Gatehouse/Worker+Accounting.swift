import HTTPWire
import NIOCore

extension Worker {
    /// Counts a request that is over, and writes its line.
    func finished(_ client: ClientHandler) {
        ended()
        let record = client.record
        let now = clock.monotonic()
        counters.count(record.code, route: record.route < 0 ? -1 : snapshot.plans[record.route].counterPlace)
        if let stream = client.stream {
            streamEnded(stream, code: record.code)
        } else {
            counters.record(.request, nanoseconds: now &- record.began)
            if client.lasting != nil, record.code.status == 401 { counters.add(to: .streamsRefused) }
        }
        if record.decided > 0 { counters.record(.decision, nanoseconds: record.decided &- record.began) }
        if record.forwarded > 0 {
            counters.record(
                .queue, nanoseconds: record.forwarded > record.decided ? record.forwarded &- record.decided : 0)
        }
        counters.add(record.bytesIn, to: .bytesReceived)
        counters.add(record.bytesOut, to: .bytesSent)
        if record.upstream >= 0, record.forwarded > 0, record.code == .ok {
            counters.record(.upstream, nanoseconds: upstreamTime(of: record))
            counters.countStatus(Int(record.status), upstream: snapshot.upstreams[record.upstream].counterPlace)
        }
        if record.code == .upstreamTimeout, record.upstream >= 0 {
            counters.add(to: .timeouts, upstream: snapshot.upstreams[record.upstream].counterPlace)
        }
        if let accessLog { write(record, of: client, now: now, to: accessLog) }
    }

    private func upstreamTime(of record: RequestRecord) -> UInt64 {
        record.answered > record.forwarded ? record.answered &- record.forwarded : 0
    }

    private func write(_ record: RequestRecord, of client: ClientHandler, now: UInt64, to log: AccessLogBuffer) {
        let duration = now &- record.began
        client.head.withUnsafeReadableBytes { bytes in
            var entry = AccessLogEntry(
                time: clock.milliseconds() &- Int64(duration / 1_000_000), requestID: record.id, code: record.code)
            entry.traceID = record.trace
            entry.client = .string(client.origin.text)
            if record.method.upperBound <= bytes.count { entry.method = .bytes(record.method.bytes(in: bytes)) }
            if record.path.upperBound <= bytes.count { entry.path = .bytes(record.path.bytes(in: bytes)) }
            entry.status = record.status
            if let identity = record.identity { entry.uid = .string(identity.principal.uid) }
            if record.route >= 0 { entry.route = .string(snapshot.plans[record.route].pattern) }
            if record.upstream >= 0 { entry.upstream = .string(snapshot.upstreams[record.upstream].name) }
            if let reason = record.reason { entry.reason = .string(reason) }
            if let rule = record.rule { entry.rule = .string(rule) }
            entry.durationMicroseconds = duration / 1000
            if record.forwarded > 0, record.answered > 0 {
                entry.upstreamMicroseconds = upstreamTime(of: record) / 1000
            }
            entry.bytesIn = record.bytesIn
            entry.bytesOut = record.bytesOut
            log.record(entry)
        }
    }
}
