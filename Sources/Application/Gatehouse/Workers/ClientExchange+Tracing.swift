import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline
import Revocation
import Telemetry

// The spans of a recorded request. Names and attributes are of OpenTelemetry's semantic conventions for HTTP.
// Attributes of the gateway begin with `gatehouse.`. docs/guides/tracing.md lists them. No attribute contains a token,
// a query, a claim or an e-mail address.
extension ClientExchange {
    /// Decides whether a request is recorded, and begins its trace. `nil` if it is not recorded.
    func beginTrace(
        _ settings: TraceSettings, _ request: RequestView, _ client: ClientHandler, _ worker: Worker
    ) -> RequestTrace? {
        let parent = worker.traceContext(of: request)?.parent
        let context = worker.connectionContext
        let trace = parent?.trace ?? context.requestIDs.nextPair()
        client.record.trace = trace
        guard settings.sampler.samples(trace, parentIsSampled: parent?.isSampled) else { return nil }
        let offset = worker.clock.nanoseconds() &- worker.clock.monotonic()
        return RequestTrace(
            trace, id: context.requestIDs.nextPair().1,
            parent: parent.map { RequestTrace.Parent(span: $0.span, flags: $0.flags) },
            start: client.record.began, offset: offset,
            attributes: Self.attributes(of: request, isHTTP2: client.isHTTP2))
    }

    /// The maximum size of a recorded `User-Agent`, in bytes.
    private static let longestUserAgent = 256

    private static func attributes(of request: RequestView, isHTTP2: Bool) -> [SpanAttribute] {
        let (head, bytes) = (request.head, request.bytes)
        var attributes = [
            SpanAttribute("url.path", text(head.path, in: bytes)),
            SpanAttribute("network.protocol.version", isHTTP2 ? "2" : head.minorVersion == 0 ? "1.0" : "1.1"),
        ]
        attributes += methodAttributes(head, bytes)
        if !head.hostName.name.isEmpty {
            attributes.append(SpanAttribute("server.address", text(head.hostName.name, in: bytes)))
            if let port = head.hostName.port { attributes.append(SpanAttribute("server.port", port)) }
        }
        if let field = request.fields.first(.userAgent), !field.value.isEmpty {
            let shown = field.value.bytes(in: bytes).prefix(longestUserAgent)
            attributes.append(SpanAttribute("user_agent.original", String(decoding: shown, as: UTF8.self)))
        }
        return attributes
    }

    /// Returns the method. A method without a definition in HTTP is `_OTHER`, because clients can invent any number.
    private static func methodAttributes(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> [SpanAttribute] {
        if let name = head.method.name { return [SpanAttribute("http.request.method", "\(name)")] }
        return [
            SpanAttribute("http.request.method", "_OTHER"),
            SpanAttribute("http.request.method_original", text(head.methodRange, in: bytes)),
        ]
    }

    private static func text(_ range: ByteRange, in bytes: UnsafeRawBufferPointer) -> String {
        let shown = range.bytes(in: bytes).prefix(SpanAttribute.longestText)
        return String(decoding: shown, as: UTF8.self)
    }

    // MARK: - Attempts

    /// Begins the span of an attempt at the upstream.
    func beginAttempt(
        of trace: RequestTrace, _ request: RequestView, _ span: UInt64, _ client: ClientHandler, _ worker: Worker
    ) {
        var attributes = Self.methodAttributes(request.head, request.bytes)
        // The pool counts the attempt when it receives the request.
        if client.record.attempts > 0 {
            attributes.append(SpanAttribute("http.request.resend_count", client.record.attempts))
        }
        client.record.server = -1
        let name = request.head.method.name.map { "\($0)" } ?? "HTTP"
        trace.beginChild(name, .client, id: span, at: worker.connectionContext.time, attributes)
    }

    private func endAttempt(of trace: RequestTrace, at time: UInt64, _ client: ClientHandler, _ worker: Worker) {
        let record = client.record
        var attributes: [SpanAttribute] = []
        if record.upstream >= 0 {
            let pool = worker.pools[record.upstream]
            attributes.append(SpanAttribute("gatehouse.upstream", pool.settings.name))
            if record.server >= 0, record.server < pool.targets.count {
                let server = pool.settings.servers[pool.targets[record.server].server]
                if !server.host.isEmpty {
                    attributes.append(SpanAttribute("server.address", server.host))
                    attributes.append(SpanAttribute("server.port", server.port))
                }
            }
        }
        // The status of a denial is the gateway's.
        let hasResponse = record.status > 0 && (record.code == .ok || record.status != record.code.status)
        if hasResponse { attributes.append(SpanAttribute("http.response.status_code", record.status)) }
        let error: String? =
            if record.code != .ok { "\(record.code.wire)" } else { record.status >= 400 ? "\(record.status)" : nil }
        trace.endChild(at: time, attributes, error: error)
    }

    // MARK: - The end

    /// Ends the trace of a request and passes on its spans.
    func finish(_ trace: RequestTrace, _ client: ClientHandler, _ worker: Worker) {
        guard let spans = home.spans else { return }
        let (record, time) = (client.record, worker.clock.monotonic())
        if record.upstream >= 0 {
            endAttempt(of: trace, at: time, client, worker)
        } else {
            trace.endChild(at: time, error: "\(record.code.wire)")
        }
        let route =
            run.route < 0 ? run.endpoint.map { "\($0.path)" } : worker.snapshot.pipeline.plans[run.route].pattern
        var attributes = [
            SpanAttribute("url.scheme", client.origin.isSecure ? "https" : "http"),
            SpanAttribute("client.address", client.origin.text),
            SpanAttribute("gatehouse.request_id", record.idText),
            SpanAttribute("gatehouse.code", "\(record.code.wire)"),
        ]
        if let route { attributes.append(SpanAttribute("http.route", route)) }
        if let phase = record.deniedIn { attributes.append(SpanAttribute("gatehouse.phase", "\(phase.name)")) }
        if record.upstream >= 0 {
            attributes.append(SpanAttribute("gatehouse.upstream", worker.snapshot.upstreams[record.upstream].name))
        }
        // 499 is not sent: the client is gone.
        if record.status > 0, record.status != DecisionCode.clientClosed.status {
            attributes.append(SpanAttribute("http.response.status_code", record.status))
        }
        if let error = Self.errorType(of: record) { attributes.append(SpanAttribute("error.type", error)) }
        if worker.snapshot.tracing?.recordsUser == true, let user = run.identity?.principal.user {
            attributes.append(SpanAttribute("enduser.id", user.uid))
        }
        spans.append(
            trace.finish(
                RequestTrace.End(
                    name: Self.name(of: client, route: route), time: time, attributes: attributes,
                    isError: record.status >= 500)))
    }

    /// Returns `error.type` of the server span: the code of an error of the gateway or of a broken exchange, or a
    /// status from 500 on. `nil` if the request was served or denied as intended.
    private static func errorType(of record: RequestRecord) -> String? {
        if record.code != .ok, record.status >= 500 || record.code == .clientClosed { return "\(record.code.wire)" }
        return record.status >= 500 ? "\(record.status)" : nil
    }

    /// Returns the name of the server span: the method and the route.
    private static func name(of client: ClientHandler, route: String?) -> String {
        let method = client.head.withUnsafeReadableBytes { bytes -> String? in
            guard client.record.method.upperBound <= bytes.count else { return nil }
            return Method(client.record.method.bytes(in: bytes)).name.map { "\($0)" }
        }
        return (method ?? "HTTP") + (route.map { " \($0)" } ?? "")
    }
}

extension RequestTrace {
    /// Begins the span of a lookup. It covers the wait of this request; requests with the same key share one call.
    func beginLookup(_ lookup: Lookup, _ worker: Worker) {
        let context = worker.connectionContext
        beginChild(
            "lookup \(lookup.spanName)", .internal, id: context.requestIDs.nextPair().1, at: context.time,
            [SpanAttribute("gatehouse.lookup", "\(lookup.spanName)")])
    }

    /// Ends the span of a lookup.
    func endLookup(with result: LookupResult, at time: UInt64) {
        let error: String? =
            switch result {
            case .unavailable, .accountUnknown, .ownerUnknown, .records(.failed), .appToken(.unavailable): "unavailable"
            case .arrived, .opaqueToken, .records(.records), .appToken: nil
            }
        endChild(at: time, error: error)
    }
}

extension Lookup {
    /// The value of `gatehouse.lookup`.
    fileprivate var spanName: StaticString {
        switch self {
        case .keySet: "key_set"
        case .revocationView: "revocation_view"
        case .records: "store"
        case .opaqueToken: "introspection"
        case .account: "firebase_account"
        case .owner: "account_owner"
        case .appToken: "app_check_consumption"
        case .rateLimit: "rate_limit"
        }
    }
}

extension Worker {
    /// Returns the trace context of a request, if it is valid and accepted.
    func traceContext(of request: RequestView) -> TraceContext? {
        guard snapshot.outgoing.acceptsTrace, request.fields.contains(.traceparent) else { return nil }
        return TraceContext(of: request)
    }
}
