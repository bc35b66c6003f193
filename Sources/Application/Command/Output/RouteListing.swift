import GatewayConfiguration
import GatewayCore

/// The routes of a configuration as a table, without empty columns.
struct RouteListing {
    private struct Column: Sendable {
        let title: String
        let isAlwaysShown: Bool
        let cell: @Sendable (Configuration.Route) -> String

        init(_ title: String, always: Bool = false, _ cell: @escaping @Sendable (Configuration.Route) -> String) {
            self.title = title
            isAlwaysShown = always
            self.cell = cell
        }
    }

    private static let nothing = "-"

    private static func recent(_ route: Configuration.Route) -> String {
        guard let maxAge = route.recentSignIn.map(DurationText.write) else { return nothing }
        return route.signInProof == .any ? maxAge : "\(maxAge) \(route.signInProof.rawValue)"
    }

    private static func tenants(_ tenants: Configuration.FirebaseRestriction.Tenants) -> String {
        switch tenants {
        case .unrestricted: nothing
        case .absent: "none"
        case .present: "any"
        case .anyOf(let ids): list(ids, ifEmpty: nothing)
        }
    }

    private static let columns = [
        Column("HOST", always: true) { list($0.hosts, ifEmpty: "any") },
        Column("METHODS", always: true) { list($0.methods, ifEmpty: "any") },
        Column("PATH", always: true) { $0.path },
        Column("AUTH", always: true) { $0.auth.rawValue },
        Column("PROJECT") { list($0.firebase?.projects ?? [], ifEmpty: nothing) },
        Column("TENANT") { tenants($0.firebase?.tenants ?? .unrestricted) },
        Column("PROVIDERS") { list($0.providers, ifEmpty: nothing) },
        Column("RECENT", always: true) { recent($0) },
        Column("SECOND FACTOR") { $0.secondFactor ? "required" : nothing },
        Column("SCOPES") { list($0.scopes, ifEmpty: nothing) },
        Column("ALLOW") { $0.allow.map { shown($0.text) } ?? nothing },
        Column("REVOCATION", always: true) { $0.auth == .none ? nothing : $0.revocation.rawValue },
        Column("ON STORE FAILURE") { $0.onStoreFailure == .allow ? "allow" : nothing },
        Column("CROSS-SITE") { $0.insecureNoCSRF ? "passes" : nothing },
        Column("CORS") { $0.cors.map { list($0.origins, ifEmpty: nothing) } ?? nothing },
        Column("RATE LIMIT") { list($0.rateLimits.map(limit), ifEmpty: nothing) },
        Column("STRIP") { $0.stripPrefix ?? nothing },
        Column("REWRITE") { rewrite($0) },
        Column("PATH OPTIONS") { pathOptions($0) },
        Column("UPSTREAM", always: true) { $0.upstream ?? nothing },
    ]

    /// The header and one line per route, in the order of the file.
    let lines: [String]

    init(_ configuration: Configuration) {
        let shown = Self.columns.filter { column in
            column.isAlwaysShown || configuration.routes.contains { column.cell($0) != Self.nothing }
        }
        var table = TextTable(header: shown.map(\.title))
        for route in configuration.routes { table.add(shown.map { $0.cell(route) }) }
        lines = table.lines
    }

    private static func list(_ values: [String], ifEmpty empty: String) -> String {
        values.isEmpty ? empty : values.joined(separator: ",")
    }

    /// Returns the text on one line, truncated.
    private static func shown(_ expression: String) -> String {
        let line = expression.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 48 ? line.prefix(45) + "..." : line
    }

    private static func limit(_ limit: Configuration.RateLimit) -> String {
        "\(limit.requests)/\(DurationText.write(limit.every)) per \(limit.per.rawValue)"
            + (limit.scope == .fleet ? " at all gateways" : "")
    }

    private static func rewrite(_ route: Configuration.Route) -> String {
        let parts = [route.rewrite?.path, route.rewrite?.host.map { "Host: \($0)" }]
        return list(parts.compactMap(\.self), ifEmpty: nothing)
    }

    private static func pathOptions(_ route: Configuration.Route) -> String {
        var options: [String] = []
        if !route.mergeSlashes { options.append("keeps //") }
        if route.encodedSlashes == .keep { options.append("keeps %2F") }
        if route.caseInsensitive { options.append("any case") }
        return list(options, ifEmpty: nothing)
    }
}
