internal import Synchronization

/// The accounts of a provider.
final class AccountRegistry: Sendable {
    /// The maximum number of accounts.
    static let mostAccounts = 65_536

    /// A user's ID at a provider.
    struct Identity: Hashable {
        let provider: String
        let id: String
    }

    private struct Key: Hashable {
        let tenant: [UInt8]?
        let uid: [UInt8]

        init(_ uid: String, _ tenant: String?) {
            self.tenant = tenant.map { Array($0.utf8) }
            self.uid = Array(uid.utf8)
        }
    }

    private struct State {
        var accounts: [Key: DevelopmentAccount] = [:]
        var lookups = CallCounter()
    }

    private let state: Mutex<State>

    init(_ accounts: [DevelopmentAccount]) {
        var state = State()
        for account in accounts { state.accounts[Key(account.user.uid, account.user.tenant)] = account }
        self.state = Mutex(state)
    }

    /// Adds or replaces an account. Throws `full` if there are too many.
    func set(_ account: DevelopmentAccount) throws(DevelopmentIdentityError) {
        let isSet = state.withLock { state in
            let key = Key(account.user.uid, account.user.tenant)
            guard state.accounts[key] != nil || state.accounts.count < Self.mostAccounts else { return false }
            state.accounts[key] = account
            return true
        }
        guard isSet else {
            throw DevelopmentIdentityError(.full, "the provider has \(Self.mostAccounts) accounts; delete some")
        }
    }

    func account(_ uid: String, tenant: String?) -> DevelopmentAccount? {
        state.withLock { $0.accounts[Key(uid, tenant)] }
    }

    func update(_ uid: String, tenant: String?, _ change: (inout DevelopmentAccount) -> Void) -> Bool {
        state.withLock { state in
            let key = Key(uid, tenant)
            guard var account = state.accounts[key] else { return false }
            change(&account)
            state.accounts[key] = account
            return true
        }
    }

    func remove(_ uid: String, tenant: String?) {
        state.withLock { $0.accounts[Key(uid, tenant)] = nil }
    }

    /// Returns the existing accounts with these IDs, and counts the lookups.
    func lookUp(_ uids: [String], tenant: String?) -> [DevelopmentAccount] {
        state.withLock { state in
            uids.compactMap { uid in
                state.lookups.add(uid)
                return state.accounts[Key(uid, tenant)]
            }
        }
    }

    /// Returns the existing accounts with these identities or addresses, and counts the lookups by ID and address.
    func find(_ identities: [Identity], emails: [String], tenant: String?) -> [DevelopmentAccount] {
        state.withLock { state in
            for name in identities.map(\.id) + emails { state.lookups.add(name) }
            return state.accounts.values.filter { account in
                account.user.tenant == tenant
                    && (account.user.email.map(emails.contains) ?? false
                        || identities.contains { account.user.has($0.id, at: $0.provider) })
            }
        }
    }

    func lookups(of uid: String) -> Int { state.withLock { $0.lookups.count(uid) } }
}

extension DevelopmentUser {
    /// Returns whether the user's identities contain this ID at a provider.
    fileprivate func has(_ id: String, at provider: String) -> Bool {
        identities[provider]?.elements?.contains { $0.string == id } ?? false
    }
}
