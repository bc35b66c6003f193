import GatewayCore

extension Configuration.Upstream {
    mutating func readUpkeep(_ mapping: MappingReader) {
        mapping.set(&health, "health") { Self.health($0) }
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
        return check
    }

    private static func checkPath(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 2_048) else { return nil }
        guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            return value.fail("\(value.name) is \(value.shown), not a path", "begin with '/', percent-encode the rest")
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

    /// `204` or `200-399`.
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
            let _: Bool? = value.fail("\(value.name) is shorter than time", "make it longer, or time shorter")
        }
        return ejection
    }

    private static func retry(_ value: ConfigurationValue) -> Retry? {
        guard let section = value.mapping(.upstreamRetry) else { return nil }
        var retry = Retry()
        section.set(&retry.on, "on") { list in
            list.list { $0.choice(Retry.Reason.self) }.map { Set($0) }
        }
        section.set(&retry.attempts, "attempts") { $0.integer(in: 1...5) }
        section.set(&retry.budget, "budget") { $0.integer(in: 0...100) }
        return retry
    }
}
