package import GatewayCore
package import Revocation

/// The status of a Firebase account at Identity Toolkit.
package struct AccountStatus: Sendable, Equatable {
    package enum Answer: Sendable, Equatable {
        /// `valid_since` in seconds since 1970; `nil`: no token was ever revoked.
        case account(validSince: UnixTime?, disabled: Bool)
        /// There is no such account: it was deleted.
        case missing
        /// Identity Toolkit could not be queried.
        case unavailable
    }

    package var answer: Answer
    /// When the lookup started, in monotonic nanoseconds.
    package var askedAt: UInt64

    package init(answer: Answer, askedAt: UInt64) {
        self.answer = answer
        self.askedAt = askedAt
    }
}

/// Looks up Firebase accounts, off the request path. Shared by the workers.
package protocol AccountLookingUp: Sendable {
    /// Finds the status of an account, looked up no earlier than `notBefore` (monotonic nanoseconds), and calls `answer` once, from any
    /// thread, within this call or later.
    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void)
}

/// The account statuses that a worker remembers. Bounded: insertion evicts the current occupant of the slot.
package struct AccountTable {
    private struct Slot {
        let key: StoreKey
        let status: AccountStatus
    }

    /// The number of slots: a power of two.
    static let capacity = 16_384
    private var slots: [Slot?]
    /// How often a status was inserted.
    package private(set) var changes: UInt64 = 0

    package init() {
        slots = Array(repeating: nil, count: Self.capacity)
    }

    /// The last status of a user's account, however old; `nil`: none is remembered.
    package func find(_ user: StoreKey) -> AccountStatus? {
        guard let slot = slots[Self.place(of: user)], slot.key == user else { return nil }
        return slot.status
    }

    /// Inserts a status, unless a newer one of the same user is there.
    package mutating func insert(_ status: AccountStatus, of user: StoreKey) {
        if let known = find(user), known.askedAt > status.askedAt { return }
        slots[Self.place(of: user)] = Slot(key: user, status: status)
        changes &+= 1
    }

    private static func place(of user: StoreKey) -> Int { Int(truncatingIfNeeded: user.low) & (capacity - 1) }
}
