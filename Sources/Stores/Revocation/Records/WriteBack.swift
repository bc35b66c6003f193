import Synchronization

/// A service of Firebase to which changes of users are written back. Raw values are part of metrics and of the admin
/// API.
package enum WriteBackDestination: String, Sendable, Hashable, CaseIterable {
    case identityToolkit = "identity_toolkit"
    case realtimeDatabase = "realtime_database"
}

/// The part of a user's record that is written back to Firebase, and its destination.
package enum WriteBackPart: String, Sendable, Hashable, CaseIterable {
    case validSince = "valid_since"
    case disabled
    /// `valid_since`, for security rules.
    case revokeTime = "revoke_time"

    package var destination: WriteBackDestination {
        switch self {
        case .validSince, .disabled: .identityToolkit
        case .revokeTime: .realtimeDatabase
        }
    }
}

/// A change of a user's record.
package enum WriteBackChange: Sendable {
    case validSince, disabled

    fileprivate var parts: [WriteBackPart] {
        switch self {
        case .validSince: [.validSince, .revokeTime]
        case .disabled: [.disabled]
        }
    }
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
    /// The number of all entries, without parked ones.
    package var count: Int
    /// The age of the oldest entry in seconds. `nil` if the queue is empty.
    package var age: Int64?
    /// The number of parked entries.
    package var parked: Int

    package init(isHolder: Bool, entries: [WriteBackEntry], count: Int, age: Int64?, parked: Int = 0) {
        (self.isHolder, self.entries, self.count, self.age) = (isHolder, entries, count, age)
        self.parked = parked
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

    /// Moves an entry out of the queue, unless its part has changed since. Parked entries have a bound of their own,
    /// `WriteBackSwitch.parkedLimit`: beyond it, the entry is postponed by `WriteBackSwitch.longestDelay`.
    func parkWriteBack(_ entry: WriteBackEntry) async throws(StoreError)

    /// Moves parked entries of these parts and projects back into the queue, where they are due at once.
    ///
    /// - Returns: The number of moved entries, at most `WriteBackSwitch.returnLimit`.
    @discardableResult
    func returnWriteBacks(_ parts: [WriteBackPart], of projects: [String]) async throws(StoreError) -> Int

    /// Releases the lease, if the caller has it.
    func releaseWriteBacks(of holder: String) async throws(StoreError)
}

/// The policy of a store for the changes to write back. A reload of the configuration replaces it.
package final class WriteBackSwitch: Sendable {
    package struct Policy: Sendable {
        /// The maximum number of entries.
        package let limit: Int
        package let destinations: Set<WriteBackDestination>
        /// Returns the project and tenant of a user. `nil` for a user who is not Firebase's.
        package let target: @Sendable (UserKey) -> WriteBackTarget?
        /// Called after an entry was added.
        package let added: @Sendable () -> Void

        package init(
            limit: Int, destinations: Set<WriteBackDestination> = [.identityToolkit],
            target: @escaping @Sendable (UserKey) -> WriteBackTarget?, added: @escaping @Sendable () -> Void
        ) {
            (self.limit, self.destinations, self.target, self.added) = (limit, destinations, target, added)
        }
    }

    /// The maximum delay of an entry, in seconds.
    package static let longestDelay: Int64 = 3600
    /// The maximum number of parked entries.
    package static let parkedLimit = 10_000
    /// The maximum number of parked entries that return to the queue in one step.
    package static let returnLimit = 1_000

    private let policy = Mutex<Policy?>(nil)
    private let dropped = Atomic<UInt64>(0)

    package init() {}

    /// The number of changes of this gateway that the queue did not accept.
    package var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

    /// Sets the policy. `nil` if no change is queued.
    package func set(_ policy: Policy?) {
        self.policy.withLock { $0 = policy }
    }

    /// The entries of a change to queue, and the maximum number of entries.
    package struct Request: Sendable {
        /// Not empty.
        package let entries: [WriteBackEntry]
        package let limit: Int
    }

    /// Returns the request to queue a change of a user. `nil` if such changes are not queued.
    package func request(_ change: WriteBackChange, of user: UserKey) -> Request? {
        guard let policy = policy.withLock({ $0 }), let target = policy.target(user) else { return nil }
        let entries = change.parts.filter { policy.destinations.contains($0.destination) }.map { part in
            WriteBackEntry(user: user, target: target, part: part, version: 0)
        }
        return entries.isEmpty ? nil : Request(entries: entries, limit: policy.limit)
    }

    /// Records the outcomes of an acknowledged change.
    package func record(_ outcomes: [WriteBackOutcome]) {
        if outcomes.contains(.queued) { policy.withLock { $0 }?.added() }
        let lost = outcomes.filter { $0 == .full || $0 == .failed }.count
        if lost > 0 { dropped.add(UInt64(lost), ordering: .relaxed) }
    }
}

extension UserRecord {
    /// Sets the outcomes of a change that was queued with these entries.
    package mutating func setWriteBack(_ outcomes: [WriteBackOutcome], of entries: [WriteBackEntry]) {
        for (entry, outcome) in zip(entries, outcomes) {
            switch entry.part.destination {
            case .identityToolkit: writeBack = outcome
            case .realtimeDatabase: databaseWriteBack = outcome
            }
        }
    }
}
