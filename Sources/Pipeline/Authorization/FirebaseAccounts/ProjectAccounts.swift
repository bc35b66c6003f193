package import OutboundHTTP
package import Revocation

/// The lookups of the accounts of all Firebase projects. Each project has its own credential, limits and breaker, so
/// that a failure of one does not affect the others.
package final class ProjectAccounts: FirebaseAccountLookup {
    private let toolkits: [String: IdentityToolkit]

    /// Creates the lookups. `toolkits` is not empty.
    ///
    /// - Parameter toolkits: The lookups by project ID.
    package init(_ toolkits: [String: IdentityToolkit]) {
        self.toolkits = toolkits
    }

    /// A user without a project is that of the only project. With several ones, its account is unknown.
    package func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        let only = toolkits.count == 1 ? toolkits.values.first : nil
        guard let toolkit = user.project.map({ toolkits[$0] }) ?? only else {
            return completion(AccountStatus(state: .unavailable, queriedAt: notBefore))
        }
        toolkit.lookUp(user, notBefore: notBefore, completion: completion)
    }

    /// Fetches the first access tokens, so that a rejected key is logged before the first request.
    package func start() {
        for toolkit in toolkits.values { toolkit.start() }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    package func shutdown() async {
        for toolkit in toolkits.values { await toolkit.shutdown() }
    }

    /// Returns the state of all lookups as one. `nil` without lookups.
    package func status() -> LookupStatus? {
        toolkits.sorted { $0.key < $1.key }.map { $0.value.status() }.reduce(nil) { sum, status in
            sum?.combined(with: status) ?? status
        }
    }
}
