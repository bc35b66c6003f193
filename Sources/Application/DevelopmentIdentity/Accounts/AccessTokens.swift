internal import Synchronization

/// The issued access tokens, and the service accounts that may obtain them.
final class AccessTokens: Sendable {
    /// The maximum number of tokens. The oldest are dropped.
    static let mostTokens = 1024
    /// The maximum number of service accounts.
    static let mostAccounts = 64
    /// The lifetime of a token, in seconds.
    static let lifetime: Int64 = 3600

    struct Grant {
        let text: String
        let scopes: [String]
        let expiresAt: Int64
    }

    private struct State {
        var accounts: [String: ServiceAccount] = [:]
        var grants: [Grant] = []
    }

    private let state = Mutex(State())

    /// Adds a service account. Throws `full` if there are too many.
    func add(_ account: ServiceAccount) throws(DevelopmentIdentityError) {
        let isAdded = state.withLock { state in
            guard state.accounts[account.email] != nil || state.accounts.count < Self.mostAccounts else { return false }
            state.accounts[account.email] = account
            return true
        }
        guard isAdded else {
            throw DevelopmentIdentityError(.full, "the provider has \(Self.mostAccounts) service accounts")
        }
    }

    func account(_ email: String) -> ServiceAccount? {
        state.withLock { $0.accounts[email] }
    }

    /// Issues a token with these scopes.
    func issue(scopes: [String], now: Int64) -> String {
        let text = "ya29." + OpaqueToken.random(64)
        state.withLock { state in
            if state.grants.count >= Self.mostTokens { state.grants.removeFirst() }
            state.grants.append(Grant(text: text, scopes: scopes, expiresAt: now + Self.lifetime))
        }
        return text
    }

    /// Returns the grant of a token. `nil` if the token is unknown or has expired.
    func grant(_ text: String, now: Int64) -> Grant? {
        state.withLock { $0.grants.last { $0.text == text && now < $0.expiresAt } }
    }

    func revokeAll() {
        state.withLock { $0.grants = [] }
    }
}
