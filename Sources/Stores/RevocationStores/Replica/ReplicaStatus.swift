import Revocation
import Synchronization

/// How the table's following of Redis is doing, for those who operate the gateway.
struct ReplicaStatus: Sendable, Equatable {
    /// Whether there is a connection that can be used.
    var isConnected = false
    /// Whether everything was read once.
    var isLoaded = false
    /// Whether everything is being read again because something was missing; nothing is confirmed meanwhile.
    var isCatchingUp = false
    /// Entries of the stream that were applied.
    var entries: UInt64 = 0
    /// Entries that the contract does not know.
    var strangeEntries: UInt64 = 0
    /// Readings of everything, by what they were begun for: `first`, `due`, or the name of a gap.
    var rereads: [String: UInt64] = [:]
    /// Keys of the last complete reading that are spelled otherwise than we spell them.
    var faultyKeys = 0
    /// The last error that kept the store from being followed, until it is followed again.
    var lastFault: ReplicaFault?
    /// The last entry that was applied.
    var lastID = "0-0"
    /// What Redis does not hold any more and the view keeps; for a moment, also what an entry on its way removes.
    var loss = StoreLoss()
    /// Whether `loss` was still there when all entries had come.
    var isLossCertain = false

    /// Readings of everything because something was missing.
    var gaps: UInt64 {
        rereads.reduce(0) { $0 + (ReplicaGap(rawValue: $1.key) == nil ? 0 : $1.value) }
    }
}

extension ReplicaStatus {
    init(_ machine: ReplicaMachine, isConnected: Bool, isLoaded: Bool) {
        self.isConnected = isConnected
        self.isLoaded = isLoaded
        isCatchingUp = !machine.isWhole
        entries = machine.counts.entries
        strangeEntries = machine.counts.strangeEntries
        for (reason, count) in machine.counts.rereads { rereads[reason.name] = count }
        faultyKeys = machine.counts.faultyKeys
        lastFault = machine.counts.lastFault
        lastID = (machine.position?.id ?? .zero).description
    }
}

extension ReplicaReread.Reason {
    /// For logs and metrics.
    var name: String {
        switch self {
        case .first: "first"
        case .due: "due"
        case .gap(let gap): gap.rawValue
        }
    }
}

/// A replica's latest status, readable from any thread.
final class SharedReplicaStatus: Sendable {
    private let status = Mutex(ReplicaStatus())

    var current: ReplicaStatus { status.withLock { $0 } }

    func update(_ new: ReplicaStatus) {
        status.withLock { $0 = new }
    }
}
