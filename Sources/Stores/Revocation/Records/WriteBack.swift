import Synchronization

/// The part of a user's record that is written back to Firebase.
package enum WriteBackPart: String, Sendable, Hashable, CaseIterable {
    case validSince = "valid_since"
    case disabled
}

/// The Firebase project and tenant of a user, to which changes are written back.
package struct WriteBackTarget: Sendable, Hashable {
    package let project: String
    /// The tenant. `nil` for the project's own users.
    package let tenant: String?

    package init(project: String, tenant: String?) {
        (self.project, self.tenant) = (project, tenant)
    }
}

/// A change of a user's record that is not yet written back to Firebase.
///
/// It names the part and contains no value: the record at the time of delivery is written back. So changes of the same
/// part coalesce, and the last one wins. It names the target, because another configuration may deliver it, for which
/// the same key is the user of another project.
package struct WriteBackEntry: Sendable, Hashable {
    /// The user of the record.
    package let user: UserKey
    package let target: WriteBackTarget
    package let part: WriteBackPart
    /// A number that each change of the part replaces.
    package let version: Int64

    package init(user: UserKey, target: WriteBackTarget, part: WriteBackPart, version: Int64) {
        (self.user, self.target, self.part, self.version) = (user, target, part, version)
    }

    /// The target and the user as one string: the project, `UserKey.separator`, the tenant or nothing, the separator,
    /// and the name of the user.
    package var name: String { "\(target.project)\u{1F}\(target.tenant ?? "")\u{1F}\(user.name)" }

    /// Parses a stored name. `nil` if it is invalid.
    package init?(name: String, part: WriteBackPart, version: Int64) {
        let parts = name.utf8.split(separator: UserKey.separator, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, !parts[0].isEmpty else { return nil }
        let user = UserKey(name: parts[2])
        guard (try? StoreBounds.check(user: user)) != nil else { return nil }
        self.init(
            user: user, target: WriteBackTarget(project: parts[0], tenant: parts[1].isEmpty ? nil : parts[1]),
            part: part, version: version)
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
        /// Returns the project and tenant of a user. `nil` for a user who is not Firebase's.
        package let target: @Sendable (UserKey) -> WriteBackTarget?
        /// Called after an entry was added.
        package let added: @Sendable () -> Void

        package init(
            limit: Int, target: @escaping @Sendable (UserKey) -> WriteBackTarget?,
            added: @escaping @Sendable () -> Void
        ) {
            (self.limit, self.target, self.added) = (limit, target, added)
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

    /// The entry of a change to queue, and the maximum number of entries.
    package struct Request: Sendable {
        package let entry: WriteBackEntry
        package let limit: Int
    }

    /// Returns the request to queue a change of a user. `nil` if such changes are not queued.
    package func request(_ part: WriteBackPart, of user: UserKey) -> Request? {
        guard let policy = policy.withLock({ $0 }), let target = policy.target(user) else { return nil }
        return Request(
            entry: WriteBackEntry(user: user, target: target, part: part, version: 0), limit: policy.limit)
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
