package import OutboundHTTP
package import Revocation

/// The lookups of the accounts of all Firebase projects. Each project has its own credential, limits and breaker, so
/// that a failure of one does not affect the others.
package final class ProjectAccounts: FirebaseNameLookup {
    private let toolkits: [String: IdentityToolkit]
    private let first: String

    /// Creates the lookups.
    ///
    /// - Parameters:
    ///   - toolkits: The lookups by project ID.
    ///   - first: The first project, whose users have keys without a project.
    package init(_ toolkits: [String: IdentityToolkit], first: String) {
        self.toolkits = toolkits
        self.first = first
    }

    /// The account of a user of another project is unknown.
    package func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        guard let toolkit = toolkits[user.project ?? first] else {
            return completion(AccountStatus(state: .unavailable, queriedAt: notBefore))
        }
        toolkit.lookUp(user, notBefore: notBefore, completion: completion)
    }

    package func find(
        _ name: FirebaseName, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void
    ) {
        guard let toolkit = toolkits[first] else {
            return completion(AccountStatus(state: .unavailable, queriedAt: notBefore))
        }
        toolkit.find(name, notBefore: notBefore, completion: completion)
    }

    /// Fetches the first access tokens, so that a rejected key is logged before the first request.
    package func start() {
        for toolkit in toolkits.values { toolkit.start() }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    package func shutdown() async {
        for toolkit in toolkits.values { await toolkit.shutdown() }
    }

    /// The projects whose last call failed.
    package var failingProjects: Set<String> { Set(toolkits.filter { $0.value.status().failing != nil }.keys) }

    /// Returns the state of all lookups as one. `nil` without lookups.
    package func status() -> LookupStatus? {
        toolkits.sorted { $0.key < $1.key }.map { $0.value.status() }.reduce(nil) { sum, status in
            sum?.combined(with: status) ?? status
        }
    }
}
