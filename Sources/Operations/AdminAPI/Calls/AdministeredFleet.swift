import GatewayCore
import JOSE

/// The gateways that share a store, in the admin API.
package struct AdministeredFleet: Sendable, Equatable {
    /// One gateway, as it announces itself.
    package struct Member: Sendable, Equatable {
        /// The identifier of the process, and the name of its host.
        package var id, name: String
        /// The version of the program, and the hash of its configuration files.
        package var version, configuration: String
        package var generation: Int64
        /// When the process began to serve, and when it announced itself, in seconds since 1970.
        package var startedAt, seenAt: Int64
        package var isReady: Bool
        /// How far its revocation view is behind, in milliseconds. `nil` if it was not read yet.
        package var viewAge: Int64?
        /// The load in the last interval. `nil` before its end, or if the system does not report it. 100 % is one
        /// core.
        package var requestsPerSecond, cpuPercent: Int64?
        package var connections: Int64
        package var memory: Int64?

        /// Creates a member.
        package init(
            id: String, name: String, version: String, configuration: String, generation: Int64, startedAt: Int64,
            seenAt: Int64, isReady: Bool, connections: Int64
        ) {
            (self.id, self.name, self.version, self.configuration) = (id, name, version, configuration)
            (self.generation, self.startedAt, self.seenAt, self.isReady) = (generation, startedAt, seenAt, isReady)
            self.connections = connections
        }
    }

    /// Whether several gateways can share the store.
    package var isShared: Bool
    /// The reason for which the list may be incomplete. `nil` if it is not.
    package var trouble: String?
    /// This gateway first, then the others by name.
    package var members: [Member]

    /// Creates a list.
    package init(isShared: Bool, trouble: String? = nil, this: Member, others: [Member] = []) {
        self.isShared = isShared
        self.trouble = trouble
        members = [this] + others.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// The differences between the gateways: the kind, and the values with the names of their gateways.
    package var warnings: [(kind: String, detail: String)] {
        let parts: [(String, (Member) -> String)] = [
            ("configuration", { String($0.configuration.prefix(8)) }), ("version", { $0.version }),
        ]
        return parts.compactMap { kind, value in
            let groups = Dictionary(grouping: members, by: value)
            guard groups.count > 1 else { return nil }
            let texts = groups.sorted { $0.key < $1.key }.map { value, members in
                "\(value) (\(members.prefix(4).map(\.name).joined(separator: ", "))\(members.count > 4 ? ", ..." : ""))"
            }
            return (kind, "\(groups.count) values: \(texts.prefix(8).joined(separator: "; "))")
        }
    }
}

extension AdministeredFleet.Member {
    private static let limits = JSONLimits(size: 2048, depth: 2, members: 32)
    /// The maximum size of the name of a host, in bytes.
    private static let longestName = 128

    /// Reads an announcement. `nil` if it is malformed.
    package init?(id: String, announcement: String) {
        guard let root = (try? JSONDocument(Array(announcement.utf8), limits: Self.limits))?.root,
            let name = root["name"]?.string, name.utf8.count <= Self.longestName,
            let version = root["version"]?.string, let configuration = root["configuration"]?.string,
            let generation = root["generation"]?.integer, let startedAt = root["started_at"]?.integer,
            let seenAt = root["seen_at"]?.integer, let isReady = root["ready"]?.bool,
            let connections = root["connections"]?.integer
        else { return nil }
        self.init(
            id: id, name: name, version: version, configuration: configuration, generation: generation,
            startedAt: startedAt, seenAt: seenAt, isReady: isReady, connections: connections)
        viewAge = root["view_age_ms"]?.integer
        requestsPerSecond = root["requests_per_second"]?.integer
        cpuPercent = root["cpu_percent"]?.integer
        memory = root["memory_bytes"]?.integer
    }

    /// The announcement to other gateways.
    package var announcement: String { String(decoding: ObjectText.object(add(to:)), as: UTF8.self) }

    /// Adds the members of the document.
    func add(to body: inout ObjectText) {
        body.add("name", String(decoding: name.utf8.prefix(Self.longestName), as: UTF8.self))
        body.add("version", version)
        body.add("configuration", configuration)
        body.add("generation", generation)
        body.add("started_at", startedAt)
        body.add("seen_at", seenAt)
        body.add("ready", isReady)
        body.add("view_age_ms", orNull: viewAge)
        body.add("requests_per_second", orNull: requestsPerSecond)
        body.add("cpu_percent", orNull: cpuPercent)
        body.add("connections", connections)
        body.add("memory_bytes", orNull: memory)
    }
}
