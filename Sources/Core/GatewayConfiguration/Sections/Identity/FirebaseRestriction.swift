import GatewayCore

extension Configuration {
    /// The Firebase credentials that a route or a host accepts (`project` and `tenant`).
    package struct FirebaseRestriction: Sendable, Hashable {
        /// The accepted tenants.
        package enum Tenants: Sendable, Hashable {
            /// Every credential that `identity.firebase` accepts.
            case unrestricted
            /// Only credentials without a tenant (`none`).
            case absent
            /// Only credentials with a tenant (`any`).
            case present
            /// Only credentials of these tenants.
            case anyOf([String])
        }

        /// The ids of the accepted projects. Empty for all.
        package var projects: [String] = []
        package var tenants = Tenants.unrestricted

        /// Creates a restriction that accepts every Firebase credential.
        package init() {}
    }

    /// The Firebase credentials that requests with one host may have (`identity.firebase.hosts`).
    package struct FirebaseHost: Sendable, Hashable {
        /// The host in lower case, exact or `*.example.com`, or `*` for all hosts that are not listed.
        package var host: String
        /// `nil` if the host accepts every credential (`unrestricted`).
        package var restriction: FirebaseRestriction?
    }
}

extension Configuration.FirebaseRestriction {
    /// Reads `project` and `tenant`. `nil` without either, and after an error.
    ///
    /// - Parameter firebase: The accepted projects. `nil` without them, or after an error in them.
    static func read(_ mapping: MappingReader, in firebase: Configuration.Firebase?) -> Self? {
        guard mapping.hasValue("project") || mapping.hasValue("tenant") else { return nil }
        var restriction = Self()
        mapping.set(&restriction.projects, "project") { value in
            value.oneOrList(atMost: Configuration.Firebase.maximumProjects, of: "projects") {
                project($0, in: firebase)
            }
        }
        mapping.set(&restriction.tenants, "tenant", tenants)
        if let firebase, !restriction.canBeMet(in: firebase) {
            mapping.fail(
                "tenant", "identity.firebase accepts no token with this project and tenant",
                "correct tenant, or accept the tenant in identity.firebase")
        }
        return restriction
    }

    private static func project(_ value: ConfigurationValue, in firebase: Configuration.Firebase?) -> String? {
        guard let id = value.string(atMost: 128) else { return nil }
        guard let firebase, firebase.project(named: id) == nil else { return id }
        let ids = firebase.projects.map(\.id)
        return value.fail(
            "\(value.shown) is not a project of identity.firebase",
            Spelling.suggestion(for: id, among: ids).map { "did you mean '\($0)'?" }
                ?? "write one of \(ids.joined(separator: ", "))")
    }

    private static func tenants(_ value: ConfigurationValue) -> Tenants? {
        if case .scalar(let scalar) = value.content {
            if scalar.text == "none" { return .absent }
            if scalar.text == "any" { return .present }
        }
        return value.oneOrList(
            atMost: Configuration.Firebase.maximumTenants, of: "tenants", Configuration.Firebase.tenantID
        ).map { .anyOf($0) }
    }

    /// Returns whether any accepted credential meets the restriction.
    private func canBeMet(in firebase: Configuration.Firebase) -> Bool {
        firebase.projects.contains { project in
            guard projects.isEmpty || projects.contains(project.id) else { return false }
            return switch tenants {
            case .unrestricted: true
            case .absent: project.tenant.accepts(nil)
            case .present: project.tenant != .none
            case .anyOf(let ids): ids.contains { project.tenant.accepts($0) }
            }
        }
    }
}

extension Configuration.Firebase {
    /// The maximum number of hosts.
    static let maximumHosts = 1024

    /// Reads `hosts`.
    func readHosts(_ value: ConfigurationValue) -> [Configuration.FirebaseHost]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, Self.maximumHosts, of: "hosts") }) else {
            return nil
        }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            let host = entry.key.lowercased()
            guard host == "*" || (host.utf8.count <= 255 && HostName.isPattern(host)) else {
                entry.fail(
                    "\(Quoted(entry.key)) is not a host",
                    "write a name without a port, *.example.com in quotes, or '*' for all other hosts")
                return nil
            }
            guard seen.insert(host).inserted else {
                entry.fail("the host \(Quoted(host)) is listed twice", "remove one of them")
                return nil
            }
            if case .scalar(let scalar) = entry.value.content, scalar.text == "unrestricted" {
                return Configuration.FirebaseHost(host: host, restriction: nil)
            }
            return restriction(entry).map { Configuration.FirebaseHost(host: host, restriction: $0) }
        }
    }

    private func restriction(_ entry: MappingEntry) -> Configuration.FirebaseRestriction? {
        guard let mapping = entry.value.mapping(.firebaseHost) else { return nil }
        if hasSeveralProjects, !mapping.hasValue("project") {
            entry.fail("the host names no project, but there are several", "add project, as in project: \(project)")
        }
        return Configuration.FirebaseRestriction.read(mapping, in: self)
    }
}

extension Configuration.Route {
    /// Reads `project` and `tenant`.
    mutating func readFirebase(_ mapping: MappingReader, _ surroundings: RouteSurroundings) {
        firebase = Configuration.FirebaseRestriction.read(mapping, in: surroundings.identity.firebase)
        guard firebase != nil, !surroundings.hasFirebase else { return }
        mapping.fail(
            mapping.hasValue("project") ? "project" : "tenant",
            "the route names a Firebase project or tenant, but identity.firebase is not configured",
            "add identity.firebase, or remove it")
    }
}
