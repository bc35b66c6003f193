package import GatewayCore
package import Revocation

/// The status of a Firebase account at Identity Toolkit.
package struct AccountStatus: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// `valid_since` in seconds since 1970. `nil` if no token was ever revoked. Without a lookup of names, the last
        /// value is empty.
        case account(validSince: UnixTime?, disabled: Bool, FirebaseAccount = FirebaseAccount())
        /// The account does not exist: it was deleted.
        case missing
        /// Identity Toolkit could not be queried.
        case unavailable
    }

    package var state: State
    /// When the lookup started, in monotonic nanoseconds.
    package var queriedAt: UInt64

    package init(state: State, queriedAt: UInt64) {
        self.state = state
        self.queriedAt = queriedAt
    }
}

/// The uid and the names of a Firebase account.
package struct FirebaseAccount: Sendable, Equatable {
    /// The uid. `nil` if it was not read, or if several accounts have the name that was looked up.
    package var uid: String?
    /// The keys of the names that the account lists, as `FirebaseEvidence` makes them.
    package var keys: Set<StoreKey> = []

    package init(uid: String? = nil, keys: Set<StoreKey> = []) {
        self.uid = uid
        self.keys = keys
    }
}

extension AccountStatus.State {
    /// Returns whether the account is known not to list a name any more.
    package func lacks(_ evidence: StoreKey) -> Bool {
        switch self {
        case .account(_, _, let account): !account.keys.contains(evidence)
        case .missing: true
        case .unavailable: false
        }
    }
}

/// A lookup of Firebase accounts, off the request path and shared by the workers.
package protocol FirebaseAccountLookup: Sendable {
    /// Looks up the status of an account as of `notBefore` (monotonic nanoseconds) or later. It calls `completion`
    /// once, from any thread, during this call or later.
    func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void)
}

/// A lookup of Firebase accounts by their names too.
package protocol FirebaseNameLookup: FirebaseAccountLookup {
    /// Looks up the account of the first project that lists a name, as `lookUp(_:notBefore:completion:)`. The status
    /// has the account's uid.
    func find(_ name: FirebaseName, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void)
}

/// A worker's cache of account statuses. It is bounded: insertion evicts the current occupant of the slot.
package struct AccountTable {
    private struct Slot {
        let key: StoreKey
        let status: AccountStatus
    }

    /// The number of slots: a power of two.
    static let capacity = 16_384
    private var slots: [Slot?]
    /// The number of insertions.
    package private(set) var changes: UInt64 = 0

    package init() {
        slots = Array(repeating: nil, count: Self.capacity)
    }

    /// Returns the last status of a user's account, whatever its age. `nil` if none is cached.
    package func find(_ user: StoreKey) -> AccountStatus? {
        guard let slot = slots[Self.place(of: user)], slot.key == user else { return nil }
        return slot.status
    }

    /// Inserts a status, unless a newer one of the same user is cached.
    package mutating func insert(_ status: AccountStatus, of user: StoreKey) {
        if let known = find(user), known.queriedAt > status.queriedAt { return }
        slots[Self.place(of: user)] = Slot(key: user, status: status)
        changes &+= 1
    }

    private static func place(of user: StoreKey) -> Int { Int(truncatingIfNeeded: user.low) & (capacity - 1) }
}
