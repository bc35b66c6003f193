import Diagnostics
import Gatehouse
import GatewayCore

/// The state of a gateway as a table.
enum StatusText {
    /// - Parameter now: Seconds since 1970.
    static func text(of report: GatewayReport, at address: ListenAddress, now: Int64) -> String {
        var table = TextTable(header: ["PART", "STATE", "DETAIL"])
        table.add(["gateway", report.isReady ? "ready" : "NOT READY", gateway(report.details, address, now)])
        for check in report.checks {
            let detail = [check.why, check.note, detail(of: check.name, report.details, now)].compactMap(\.self)
            table.add([check.name, check.why == nil ? "ok" : "FAILED", detail.joined(separator: "; ")])
        }
        for server in report.details?.servers ?? [] {
            table.add(["upstream \(server.upstream)", state(of: server), "\(server.server), \(health(of: server))"])
        }
        return table.lines.joined(separator: "\n")
    }

    private static func gateway(
        _ details: GatewayReport.Details?, _ address: ListenAddress, _ now: Int64
    ) -> String {
        guard let details else { return "\(address); set admin.token and restart the gateway for more" }
        let own = GatehouseVersion.current
        let version = details.version == own ? own : "\(details.version) (this command: \(own))"
        return "\(address), version \(version), configuration \(details.generation), started "
            + HumanTime.moment(details.startedAt, now: now)
    }

    /// Returns the details of a check of the store or of a key set.
    private static func detail(of check: String, _ details: GatewayReport.Details?, _ now: Int64) -> String? {
        guard let details else { return nil }
        if check == "store" {
            let store = details.store
            let writes = store.isWritable ? "" : ", rejects writes"
            return "\(store.kind), \(store.users) users and \(store.sessions) sessions with a record\(writes)"
        }
        guard let set = details.keySets.first(where: { "keys \($0.url)" == check }) else { return nil }
        let fetched = set.fetchedAt.map { "fetched \(HumanTime.moment($0, now: now))" } ?? "never fetched"
        return "\(set.keys) usable \(set.keys == 1 ? "key" : "keys"), \(fetched)"
            + (set.lastError.map { "; last fetch failed: \($0)" } ?? "")
    }

    private static func state(of server: GatewayReport.Details.Server) -> String {
        guard server.hasHealthChecks || server.ejected > 0 else { return "-" }
        return server.healthy > 0 && server.ejected == 0 ? "ok" : "DOWN"
    }

    private static func health(of server: GatewayReport.Details.Server) -> String {
        let ejected = server.ejected > 0 ? ", ejected by \(server.ejected) workers" : ""
        guard server.hasHealthChecks else { return "no health checks\(ejected)" }
        return "\(server.healthy) of \(server.addresses) addresses healthy\(ejected)"
    }
}
