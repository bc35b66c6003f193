import AdminAPI
import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import Observability
import RequestPipeline
import Revocation

// The end of a request: its counters and its access log line.
extension PipelineDriver {
    /// Counts a completed request and writes its access log line.
    func account(for client: ClientHandler, _ worker: Worker) {
        let (counters, snapshot, clock) = (worker.counters, worker.snapshot, worker.clock)
        let now = clock.monotonic()
        let route = run.route < 0 ? -1 : snapshot.pipeline.plans[run.route].counterPlace
        counters.count(client.record.code, route: route)
        if client.stream != nil {
            counters.adjust(.streamsOpen, by: -1)
            if client.record.code.status == 401 { counters.add(to: .streamsRefused) }
        } else {
            counters.record(.request, route: route, nanoseconds: now &- client.record.began)
            if client.longExchange != nil, client.record.code.status == 401 { counters.add(to: .streamsRefused) }
        }
        if client.record.decided > 0 {
            counters.record(
                .decision, route: route, nanoseconds: client.record.decided &- client.record.began)
        }
        if client.record.forwarded > 0 {
            counters.record(
                .queue,
                nanoseconds: client.record.forwarded > client.record.decided
                    ? client.record.forwarded &- client.record.decided : 0)
        }
        if client.isHTTP2 { counters.add(to: .http2Requests) }
        counters.add(client.record.bytesIn, to: .bytesReceived)
        counters.add(client.record.bytesOut, to: .bytesSent)
        if client.record.upstream >= 0, client.record.forwarded > 0, client.record.code == .ok {
            counters.record(.upstream, route: route, nanoseconds: upstreamTime(of: client))
            counters.countStatus(
                Int(client.record.status), upstream: snapshot.upstreams[client.record.upstream].counterPlace)
        }
        if client.record.code == .upstreamTimeout, client.record.upstream >= 0 {
            counters.add(to: .timeouts, upstream: snapshot.upstreams[client.record.upstream].counterPlace)
        }
        if let phase = client.record.deniedIn {
            counters.countDenial(in: phase)
            if let user = run.identity?.principal.user {
                let pattern = run.route < 0 ? nil : snapshot.pipeline.plans[run.route].pattern
                home.denials.record(
                    UserActivity.Denial(time: clock.now(), code: client.record.code, phase: phase, route: pattern),
                    of: user)
            }
        }
        if home.samples?.isDue(at: now) == true { sample(client, worker, now: now) }
        if let accessLog = worker.accessLog { write(of: client, worker, now: now, to: accessLog) }
        if !home.viewers.isEmpty { publish(client, worker, now: now) }
    }

    /// Records the request for the comparison of configurations.
    private func sample(_ client: ClientHandler, _ worker: Worker, now: UInt64) {
        let denial = client.record.deniedIn.map { RequestSample.Denied(phase: $0, code: client.record.code) }
        withHead(of: client) { head in
            let sample = RequestSample(
                head, limits: worker.snapshot.limits, of: run, denial, at: worker.clock.now())
            if let sample { home.samples?.record(sample, at: now) }
        }
    }

    /// Passes the decision to the viewers. It is recorded at the end of the response, whose status it includes.
    private func publish(_ client: ClientHandler, _ worker: Worker, now: UInt64) {
        let (record, snapshot) = (client.record, worker.snapshot)
        let duration = now &- record.began
        var decision = DecisionRecord(
            time: worker.clock.milliseconds() &- Int64(clamping: duration / 1_000_000), requestID: record.idText,
            code: record.code)
        decision.isHTTP2 = client.isHTTP2
        withHead(of: client) { bytes in
            if record.method.upperBound <= bytes.count {
                let shown = record.method.bytes(in: bytes).prefix(DecisionRecord.longestMethod)
                decision.method = String(decoding: shown, as: UTF8.self)
            }
            if record.path.upperBound <= bytes.count {
                let path = record.path.bytes(in: bytes).prefix(DecisionRecord.longestPath)
                let end = path.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? path.endIndex
                decision.path = String(decoding: path[..<end], as: UTF8.self)
            }
        }
        decision.status = record.status
        decision.duration = duration / 1000
        decision.phase = record.deniedIn
        decision.rule = record.rule
        decision.reason = record.reason
        decision.user = run.identity?.principal.user
        decision.client = client.origin
        if run.route >= 0 { decision.route = snapshot.pipeline.plans[run.route].pattern }
        if record.upstream >= 0 { decision.upstream = snapshot.upstreams[record.upstream].name }
        decision.frontEnd = frontEnd.map { "\($0)" }
        decision.steps = (findings?.steps(on: run.plan) ?? []) + ruleSteps(of: record)
        for viewer in home.viewers { viewer.offer(&decision, at: now) }
    }

    /// The result of the rules. Their reasons contain no input.
    private func ruleSteps(of record: RequestRecord) -> [DecisionRecord.Step] {
        if record.deniedIn == .rules {
            let place = record.rule.map { " (\($0))" } ?? ""
            return [DecisionRecord.Step(.rules, .failed, "rules", (record.reason ?? "denied") + place)]
        }
        guard let rule = record.rule else { return [] }
        return [DecisionRecord.Step(.rules, .passed, "rules", "allowed by \(rule)")]
    }

    private func upstreamTime(of client: ClientHandler) -> UInt64 {
        let (forwarded, responded) = (client.record.forwarded, client.record.responded)
        return responded > forwarded ? responded &- forwarded : 0
    }

    private func write(of client: ClientHandler, _ worker: Worker, now: UInt64, to log: AccessLogBuffer) {
        let (record, snapshot, clock) = (client.record, worker.snapshot, worker.clock)
        let duration = now &- record.began
        withHead(of: client) { bytes in
            var entry = AccessLogEntry(
                time: clock.milliseconds() &- Int64(duration / 1_000_000), requestID: record.id, code: record.code)
            entry.traceID = record.trace
            entry.client = .string(client.origin.text)
            entry.isHTTP2 = client.isHTTP2
            if record.method.upperBound <= bytes.count { entry.method = .bytes(record.method.bytes(in: bytes)) }
            if record.path.upperBound <= bytes.count { entry.path = .bytes(record.path.bytes(in: bytes)) }
            entry.status = record.status
            if let user = run.identity?.principal.user {
                entry.uid = .string(user.uid)
                if let project = user.project { entry.project = .string(project) }
                if let tenant = user.tenant { entry.tenant = .string(tenant) }
            }
            entry.appCheck = run.appCheck
            if let reason = run.appCheckReason { entry.appCheckReason = .string(reason) }
            if let app = run.app?.app { entry.app = .string(app.name) }
            if run.route >= 0 { entry.route = .string(snapshot.pipeline.plans[run.route].pattern) }
            if record.upstream >= 0 { entry.upstream = .string(snapshot.upstreams[record.upstream].name) }
            if let frontEnd { entry.frontEnd = .literal(frontEnd) }
            entry.phase = record.deniedIn
            if let reason = record.reason { entry.reason = .string(reason) }
            if let rule = record.rule { entry.rule = .string(rule) }
            entry.durationMicroseconds = duration / 1000
            if record.forwarded > 0, record.responded > 0 {
                entry.upstreamMicroseconds = upstreamTime(of: client) / 1000
            }
            entry.bytesIn = record.bytesIn
            entry.bytesOut = record.bytesOut
            log.record(entry)
        }
    }
}
