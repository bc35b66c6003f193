package import Revocation

/// What a worker remembers of Identity Toolkit's answers. Bounded: an answer takes the place of the one that lies where it belongs.
package struct AccountTable {
    private struct Slot {
        let key: StoreKey
        let status: AccountStatus
    }

    /// The most answers that a worker remembers: a power of two.
    static let capacity = 16_384
    private var slots: [Slot?]
    /// How often an answer was kept.
    package private(set) var changes: UInt64 = 0

    package init() {
        slots = Array(repeating: nil, count: Self.capacity)
    }

    /// The last answer about a user, however old; nil: none is remembered.
    package func find(_ user: StoreKey) -> AccountStatus? {
        guard let slot = slots[Self.place(of: user)], slot.key == user else { return nil }
        return slot.status
    }

    /// Keeps an answer, unless a newer one about the same user is there.
    package mutating func insert(_ status: AccountStatus, of user: StoreKey) {
        if let known = find(user), known.askedAt > status.askedAt { return }
        slots[Self.place(of: user)] = Slot(key: user, status: status)
        changes &+= 1
    }

    private static func place(of user: StoreKey) -> Int { Int(truncatingIfNeeded: user.low) & (capacity - 1) }
}
