import Revocation
import Synchronization

/// The status of a replica, for operators.
struct ReplicaStatus: Sendable, Equatable {
    /// Whether there is a usable connection.
    var isConnected = false
    /// Whether everything was read once.
    var isLoaded = false
    /// Whether everything is read again because something was missing. Nothing is confirmed meanwhile.
    var isCatchingUp = false
    /// The number of applied stream entries.
    var entries: UInt64 = 0
    /// The number of unrecognised entries.
    var strangeEntries: UInt64 = 0
    /// The number of readings of everything by reason: `first`, `due`, or the name of a gap.
    var rereads: [String: UInt64] = [:]
    /// The number of keys in the last complete reading that are not in canonical form.
    var faultyKeys = 0
    /// The last error, until the store is followed again.
    var lastFault: ReplicaFault?
    /// The last applied entry.
    var lastID = "0-0"
    /// The records that Redis has lost and the view keeps. It may briefly include records that a pending entry removes.
    var loss = StoreLoss()
    /// Whether `loss` remained after all entries had arrived.
    var isLossCertain = false

    /// The number of readings of everything because of a gap.
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
    /// The name in logs and metrics.
    var name: String {
        switch self {
        case .first: "first"
        case .due: "due"
        case .gap(let gap): gap.rawValue
        }
    }
}

/// The current status of a replica, readable from any thread.
final class SharedReplicaStatus: Sendable {
    private let status = Mutex(ReplicaStatus())

    var current: ReplicaStatus { status.withLock { $0 } }

    func update(_ new: ReplicaStatus) {
        status.withLock { $0 = new }
    }
}
