import Synchronization

/// The part of a user's record that is written back to Firebase.
package enum WriteBackPart: String, Sendable, Hashable, CaseIterable {
    case validSince = "valid_since"
    case disabled
}

/// A change of a user's record that is not yet written back to Firebase.
///
/// It names the part and contains no value: the record at the time of delivery is written back. So changes of the same
/// part coalesce, and the last one wins.
package struct WriteBackEntry: Sendable, Hashable {
    package let user: UserKey
    package let part: WriteBackPart
    /// A number that each change of the part replaces.
    package let version: Int64

    package init(user: UserKey, part: WriteBackPart, version: Int64) {
        (self.user, self.part, self.version) = (user, part, version)
    }
}

/// Whether a change is written back to Firebase. Raw values are part of the admin API.
package enum WriteBackOutcome: String, Sendable {
    /// The change is not written back: write-back is off, or the user is not Firebase's.
    case off
    case queued
    /// The queue is full: the change is not written back.
    case full
    /// The queue cannot be written: the change is not written back.
    case failed
}

/// The result of polling the queue.
package struct WriteBackPoll: Sendable, Equatable {
    /// Whether the caller has the lease.
    package var isHolder: Bool
    /// Entries that are due, earliest first. Empty without the lease.
    package var entries: [WriteBackEntry]
    /// The number of all entries.
    package var count: Int
    /// The age of the oldest entry in seconds. `nil` if the queue is empty.
    package var age: Int64?

    package init(isHolder: Bool, entries: [WriteBackEntry], count: Int, age: Int64?) {
        (self.isHolder, self.entries, self.count, self.age) = (isHolder, entries, count, age)
    }
}

/// The changes of users that are written back to Firebase: a durable queue that all gateways of a store share.
///
/// A facet of a store, beside `Store`. `revoke` and `setDisabled` add the entry in the same step as the change, so that
/// an acknowledged change is never without its entry.
package protocol WriteBackQueue: Sendable {
    /// Determines the changes that are queued.
    var writeBack: WriteBackSwitch { get }

    /// Acquires or renews the lease of the queue, unless another gateway has it, and returns due entries to its holder.
    ///
    /// - Parameters:
    ///   - holder: The name of the caller, which is unique.
    ///   - lease: The duration of the lease, in seconds.
    ///   - limit: The maximum number of returned entries.
    func pollWriteBacks(by holder: String, lease: Int64, limit: Int) async throws(StoreError) -> WriteBackPoll

    /// Removes an entry, unless its part has changed since.
    func removeWriteBack(_ entry: WriteBackEntry) async throws(StoreError)

    /// Makes an entry due later, unless its part has changed since.
    ///
    /// - Parameter seconds: 1 to `WriteBackSwitch.longestDelay`.
    func postponeWriteBack(_ entry: WriteBackEntry, by seconds: Int64) async throws(StoreError)

    /// Releases the lease, if the caller has it.
    func releaseWriteBacks(of holder: String) async throws(StoreError)
}

/// The policy of a store for the changes to write back. A reload of the configuration replaces it.
package final class WriteBackSwitch: Sendable {
    package struct Policy: Sendable {
        /// The maximum number of entries.
        package let limit: Int
        /// Returns whether a user is Firebase's.
        package let includes: @Sendable (UserKey) -> Bool
        /// Called after an entry was added.
        package let added: @Sendable () -> Void

        package init(
            limit: Int, includes: @escaping @Sendable (UserKey) -> Bool, added: @escaping @Sendable () -> Void
        ) {
            (self.limit, self.includes, self.added) = (limit, includes, added)
        }
    }

    /// The maximum delay of an entry, in seconds.
    package static let longestDelay: Int64 = 3600

    private let policy = Mutex<Policy?>(nil)
    private let dropped = Atomic<UInt64>(0)

    package init() {}

    /// The number of changes of this gateway that the queue did not accept.
    package var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Sets the policy. `nil` if no change is queued.
    package func set(_ policy: Policy?) {
        self.policy.withLock { $0 = policy }
    }

    /// Returns the maximum number of entries if changes of the user are queued. `nil` if they are not.
    package func limit(for user: UserKey) -> Int? {
        guard let policy = policy.withLock({ $0 }), policy.includes(user) else { return nil }
        return policy.limit
    }

    /// Records the outcome of an acknowledged change.
    package func record(_ outcome: WriteBackOutcome) {
        switch outcome {
        case .off: break
        case .queued: policy.withLock { $0 }?.added()
        case .full, .failed: dropped.add(1, ordering: .relaxed)
        }
    }
}
