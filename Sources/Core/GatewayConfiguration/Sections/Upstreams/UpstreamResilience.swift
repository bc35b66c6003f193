import GatewayCore

extension Configuration.Upstream {
    /// Active health checks of the servers (`health`).
    package struct HealthCheck: Sendable, Hashable {
        /// The path of the GET request, optionally with a query (`path`).
        package var path = "/healthz"
        /// The interval of checks of one server (`interval`), 100 ms to 1 h, with a jitter of a tenth. Default: 5 s.
        package var interval = Duration.seconds(5)
        /// The timeout of a check, including connecting (`timeout`), 1 ms to 1 min. Default: 2 s.
        package var timeout = Duration.seconds(2)
        /// The number of consecutive successes after which a server is healthy (`healthy`), 1 to 100. Default: 2.
        package var healthy = 2
        /// The number of consecutive failures after which a server is unhealthy (`unhealthy`), 1 to 100. Default: 3.
        package var unhealthy = 3
        /// The statuses of success (`status`), 100 to 599. Default: 200 to 399.
        package var status: [ClosedRange<Int>] = [200...399]
        /// The `Host` of the check (`host`). Default: `nil`, the server's.
        package var host: String?
        /// The service of a gRPC health check (`grpc`) in place of the GET request; empty for the whole server.
        /// Default: `nil`, no gRPC.
        package var grpc: String?

        /// Creates a check with default settings.
        package init() {}
    }

    /// The ejection of failing servers (`ejection`).
    package struct Ejection: Sendable, Hashable {
        /// The number of consecutive failures that cause an ejection (`failures`), 1 to 1000. Default: 5.
        package var failures = 5
        /// The duration of the first ejection (`time`), 100 ms to 1 d. It doubles with each further one. Default: 10 s.
        package var time = Duration.seconds(10)
        /// The maximum duration of an ejection (`max_time`). Default: 5 min.
        package var maxTime = Duration.seconds(300)
        /// The maximum percentage of ejected servers (`max_share`), 1 to 100. Default: 50.
        package var maxShare = 50

        /// Creates the defaults.
        package init() {}
    }

    /// Retries (`retry`). A request is retried only if its method is idempotent (RFC 9110 section 9.2.2), none of its
    /// body has been sent, and none of a response has been forwarded.
    package struct Retry: Sendable, Hashable {
        /// The reasons for a retry (`conditions`).
        package enum Reason: String, Sendable, Hashable, CaseIterable {
            /// The connection could not be opened. Nothing has been sent, so any method is retried.
            case connect
            /// The connection ended before a response.
            case reset
            case status502 = "502"
            case status503 = "503"
            case status504 = "504"
            /// No response within `response_timeout`.
            case timeout
        }

        /// The reasons for a retry. Default: `connect` and `reset`.
        package var conditions: Set<Reason> = [.connect, .reset]
        /// The maximum number of retries of a request (`attempts`), 1 to 5. Default: 1.
        package var attempts = 1
        /// The maximum percentage of retries (`budget`), 0 to 100. 3 retries per second of each worker are always
        /// permitted. Default: 20.
        package var budget = 20

        /// Creates the defaults.
        package init() {}
    }

    mutating func readUpkeep(_ mapping: MappingReader) {
        mapping.set(&health, "health") { Self.health($0) }
        if let value = mapping.value("health"), health?.grpc != nil, !self.protocol.isMultiplexed {
            mapping.fail("health", "\(value.name).grpc without HTTP/2", "add protocol: h2 or h2c, or remove grpc")
        }
        mapping.set(&ejection, "ejection") { Self.ejection($0) }
        mapping.set(&retry, "retry") { Self.retry($0) }
    }

    private static func health(_ value: ConfigurationValue) -> HealthCheck? {
        guard let section = value.mapping(.upstreamHealth) else { return nil }
        var check = HealthCheck()
        section.set(&check.path, "path") { Self.checkPath($0) }
        section.set(&check.interval, "interval") { $0.duration(in: .milliseconds(100) ... .hours(1)) }
        section.set(&check.timeout, "timeout") { $0.duration(in: .milliseconds(1) ... .minutes(1)) }
        section.set(&check.healthy, "healthy") { $0.integer(in: 1...100) }
        section.set(&check.unhealthy, "unhealthy") { $0.integer(in: 1...100) }
        section.set(&check.status, "status") { $0.oneOrList(Self.statuses) }
        section.set(&check.host, "host") { Self.checkHost($0) }
        section.set(&check.grpc, "grpc") { Self.service($0) }
        for key in ["path", "status"] where check.grpc != nil && section.value(key) != nil {
            section.fail(key, "\(value.name).\(key) beside grpc", "remove one of them")
        }
        return check
    }

    private static func checkPath(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 2_048) else { return nil }
        guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a path", "begin it with '/', and percent-encode other characters")
        }
        return text
    }

    private static func checkHost(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 320) else { return nil }
        do {
            _ = try HostAndPort(parsing: text, defaultPort: 80)
            return text
        } catch {
            return value.fail("\(value.name) is \(error.what)", "write NAME or NAME:PORT")
        }
    }

    private static func service(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 256) else { return nil }
        let isName = text.utf8.allSatisfy { ClaimPathParser.continuesName($0) || $0 == UInt8(ascii: ".") }
        guard text == "*" || (isName && !text.isEmpty) else {
            return value.fail(
                "\(value.name) is \(value.shown), not the name of a gRPC service",
                "write it as in package.Service, or '*' for the whole server")
        }
        return text == "*" ? "" : text
    }

    /// Returns `204` or `200-399` as a range.
    private static func statuses(_ value: ConfigurationValue) -> ClosedRange<Int>? {
        let text = value.scalar("a status")?.text ?? ""
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { WholeNumber.parse($0) }
        guard let first = parts.first ?? nil, let last = parts.last ?? nil, parts.count <= 2, first <= last,
            first >= 100, last <= 599
        else {
            return value.fail("\(value.name) is \(value.shown), not a status", "write 200 or 200-399, within 100-599")
        }
        return first...last
    }

    private static func ejection(_ value: ConfigurationValue) -> Ejection? {
        guard let section = value.mapping(.upstreamEjection) else { return nil }
        var ejection = Ejection()
        let times: ClosedRange<Duration> = .milliseconds(100) ... .hours(24)
        section.set(&ejection.failures, "failures") { $0.integer(in: 1...1_000) }
        section.set(&ejection.time, "time") { $0.duration(in: times) }
        section.set(&ejection.maxTime, "max_time") { $0.duration(in: times) }
        section.set(&ejection.maxShare, "max_share") { $0.integer(in: 1...100) }
        if section.value("max_time") == nil { ejection.maxTime = max(ejection.maxTime, ejection.time) }
        if ejection.maxTime < ejection.time, let value = section.value("max_time") {
            let _: Bool? = value.fail("\(value.name) is less than time", "increase it, or decrease time")
        }
        return ejection
    }

    private static func retry(_ value: ConfigurationValue) -> Retry? {
        guard let section = value.mapping(.upstreamRetry) else { return nil }
        var retry = Retry()
        section.set(&retry.conditions, "conditions") { list in
            list.list { $0.choice(Retry.Reason.self) }.map { Set($0) }
        }
        section.set(&retry.attempts, "attempts") { $0.integer(in: 1...5) }
        section.set(&retry.budget, "budget") { $0.integer(in: 0...100) }
        return retry
    }
}
