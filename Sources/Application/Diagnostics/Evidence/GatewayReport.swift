import JOSE

/// The state of a running gateway, as its admin listener reports it.
package struct GatewayReport: Sendable {
    /// A condition of readiness.
    package struct Check: Sendable, Equatable {
        package let name: String
        /// The reason why it is not met. `nil` if it is.
        package let why: String?
        /// A problem that does not make the gateway unready. `nil` without one.
        package let note: String?
    }

    /// The rest of the state, which requires the admin token.
    package struct Details: Sendable {
        /// The store of revocations.
        package struct Store: Sendable {
            /// `sqlite`, `memory` or `redis`.
            package let kind: String
            /// The current problem. `nil` without one.
            package let trouble: String?
            package let isWritable: Bool
            package let users, sessions: Int64
        }

        /// A set of signing keys. Times are seconds since 1970.
        package struct KeySet: Sendable {
            package let url: String
            package let keys: Int
            /// `nil` before the first fetch.
            package let fetchedAt: Int64?
            /// `nil` after a success.
            package let lastError: String?
        }

        /// A server of an upstream.
        package struct Server: Sendable {
            package let upstream, server: String
            package let addresses, healthy, ejected: Int64
            package let hasHealthChecks: Bool
        }

        package let version: String
        /// The number of the active configuration.
        package let generation: Int64
        /// Seconds since 1970.
        package let startedAt: Int64
        package let store: Store
        package let keySets: [KeySet]
        package let servers: [Server]
    }

    package let isReady: Bool
    package let checks: [Check]
    /// `nil` if only the public health endpoint was available.
    package let details: Details?
    /// The document as it was received, on one line.
    package let json: String
}

extension GatewayReport {
    /// Reads the document of `/readyz` or `/v1/status`. `nil` if it is neither.
    init?(_ document: JSONDocument) {
        let root = document.root
        guard let isReady = root["ready"]?.bool, let checks = root["checks"], checks.kind == .array else { return nil }
        self.isReady = isReady
        self.checks = checks.elements.map { check in
            let failure = check["ok"]?.bool == true ? nil : check["why"]?.string ?? "no reason"
            return Check(name: check["name"]?.string ?? "", why: failure, note: check["note"]?.string)
        }
        details = Details(root)
        json = String(decoding: root.compact, as: UTF8.self)
    }
}

extension GatewayReport.Details {
    /// `nil` for the document of `/readyz`.
    fileprivate init?(_ root: JSONValue) {
        guard let version = root["version"]?.string, let store = root["store"], let keySets = root["key_sets"],
            let servers = root["servers"]
        else { return nil }
        self.version = version
        generation = root["generation"]?.integer ?? 0
        startedAt = root["started_at"]?.integer ?? 0
        self.store = Store(
            kind: store["kind"]?.string ?? "", trouble: store["trouble"]?.string,
            isWritable: store["writable"]?.bool ?? false, users: store["users"]?.integer ?? 0,
            sessions: store["sessions"]?.integer ?? 0)
        self.keySets = keySets.elements.map { set in
            KeySet(
                url: set["url"]?.string ?? "", keys: set["keys"]?.count ?? 0, fetchedAt: set["fetched_at"]?.integer,
                lastError: set["last_error"]?.string)
        }
        self.servers = servers.elements.map { server in
            Server(
                upstream: server["upstream"]?.string ?? "", server: server["server"]?.string ?? "",
                addresses: server["addresses"]?.integer ?? 0, healthy: server["healthy"]?.integer ?? 0,
                ejected: server["ejected"]?.integer ?? 0, hasHealthChecks: server["health_checks"]?.bool ?? false)
        }
    }
}
