import Revocation

/// A position in the change stream.
struct ReplicaPosition: Sendable, Equatable {
    /// The last entry seen, or the last id at the start of the reading.
    var id: ReplicaStreamID
    /// The number of entries added up to there. `nil` if Redis does not report it.
    var added: UInt64?
    /// The id up to which a Redis that does not count entries has proven that none is missing.
    var shown: ReplicaStreamID

    /// Creates a position from a file.
    init(id: ReplicaStreamID, added: UInt64?, shown: ReplicaStreamID) {
        (self.id, self.added, self.shown) = (id, added, shown)
    }

    init(_ information: ReplicaStreamInformation) {
        id = information.last
        added = information.added
        shown = information.last
    }

    /// Returns whether a stream in the state `information` has lost entries that were seen.
    func isAhead(of information: ReplicaStreamInformation) -> Bool {
        if information.last < id { return true }
        guard let added, let others = information.added else { return false }
        return others < added
    }

    /// Returns the relation of another server's history to the entries that were seen.
    ///
    /// Entries are removed from the start of a stream only, so an entry that is missing after the first one was never
    /// in that history.
    ///
    /// - Parameter next: The id of that server's first entry that is not before this position.
    func continuity(
        in information: ReplicaStreamInformation, next: ReplicaStreamID?
    ) -> ReplicaContinuity {
        if id == .zero || next == id { return .continues }
        if information.last == id, information.added == added { return .continues }
        if isAhead(of: information) || information.hasAllEntries { return .lost }
        return information.first.map { $0 < id } ?? false ? .lost : .unknown
    }

    mutating func advance(to entry: ReplicaEntry) {
        id = entry.id
        added = added.map { $0 &+ 1 }
    }
}

/// A position that is saved with the table.
struct SavedPosition: Sendable, Equatable {
    var position: ReplicaPosition
    /// The server that the table was read from.
    var server: ReplicaIdentity
}

/// Whether the history of another server contains the last entry that was seen.
enum ReplicaContinuity: Sendable, Hashable {
    /// It does, so that the entries after it can be followed.
    case continues
    /// It does not: that server lacks writes that were acknowledged.
    case lost
    /// The entry may have been removed from the stream.
    case unknown
}

/// A reading of all records.
struct ReplicaReread: Sendable, Equatable {
    enum Reason: Sendable, Hashable {
        /// The first reading.
        case first
        case gap(ReplicaGap)
        /// A scheduled reading; nothing is known to be missing.
        case due
    }

    let reason: Reason
    var cursor: UInt64 = 0
    /// Keys that were received but not yet requested.
    var keys: [ReplicaKey] = []
    var isScanned = false
    /// The earliest time of the next slice. `nil` while one is pending.
    var nextSlice: UInt64?
    /// Whether the next slice waits for `nextSlice` although the reading is urgent.
    var isPostponed = false

    var isDone: Bool { isScanned && keys.isEmpty }
    /// Whether nothing can be confirmed until it is done.
    var isUrgent: Bool { reason != .due }
}

/// The evidence that entries are missing.
enum ReplicaGap: String, Sendable, Hashable, CaseIterable {
    /// The stream's last id is before the last one seen: deleted, or another server.
    case wentBack = "went-back"
    /// The number of added entries differs from the number seen.
    case countDiffers = "count-differs"
    /// Entries that existed were removed before they were read.
    case missing
    /// Another or restarted server, or one of unknown identity. It may have a record without its stream entry.
    case otherServer = "other-server"
}

/// A comparison with the state of the stream.
struct ReplicaCheck: Sendable {
    /// The time of the last `XINFO`.
    private var queriedAt: UInt64?
    /// The reported state, until the replica has reached its last id.
    private(set) var pending: (information: ReplicaStreamInformation, sentAt: UInt64)?
    /// The time that is proven after this many further records were read.
    private(set) var proven: (at: UInt64, records: Int)?

    mutating func query(_ now: UInt64) {
        queriedAt = now
    }

    mutating func wait(for information: ReplicaStreamInformation) {
        pending = queriedAt.map { (information, $0) }
    }

    /// Records that the reported state agrees with the entries that were seen.
    ///
    /// - Parameter records: The number of records to be read before the confirmation. `nil` if it must not be
    ///   confirmed.
    mutating func prove(afterRecords records: Int?) {
        if let pending, let records { proven = (pending.sentAt, records) }
        pending = nil
    }

    /// Records that a named record was read.
    mutating func recordRead() {
        guard let proven, proven.records > 0 else { return }
        self.proven = (proven.at, proven.records - 1)
    }

    /// Returns the time to confirm now, if any.
    mutating func takeProven() -> UInt64? {
        guard let proven, proven.records == 0 else { return nil }
        self.proven = nil
        return proven.at
    }

    /// Returns whether a new comparison is due.
    func isDue(_ now: UInt64, every interval: UInt64) -> Bool {
        guard pending == nil, proven == nil else { return false }
        guard let queriedAt else { return true }
        return now &- queriedAt >= interval
    }

    /// Makes a comparison due in the next round, unless one is pending.
    mutating func hasten() {
        queriedAt = nil
    }

    /// Discards unconfirmed results. The next round compares again.
    mutating func forget() {
        (pending, proven, queriedAt) = (nil, nil, nil)
    }
}

/// The commands of one round, and the number of their replies.
struct ReplicaRound: Sendable {
    private(set) var commands: [ReplicaCommand] = []
    /// The records that the first commands read because entries named them.
    private(set) var hints: [ReplicaHints.Hint] = []
    private(set) var replyCount = 0
    private let sentAt: UInt64
    /// Whether the entries of this round follow an id that is no longer valid.
    var readIsVoid = false

    init(_ commands: [ReplicaCommand] = [], hints: [ReplicaHints.Hint] = [], at now: UInt64 = 0) {
        self.commands = commands
        self.hints = hints
        sentAt = now
    }

    var isOver: Bool { replyCount == commands.count }

    /// The next command to receive a reply, with its hint if an entry named the record.
    var next: (command: ReplicaCommand, hint: ReplicaHints.Hint?)? {
        isOver ? nil : (commands[replyCount], hasPendingHints ? hints[replyCount] : nil)
    }

    /// Records a usable reply to `next`.
    mutating func advance() {
        replyCount += 1
    }

    var hasPendingHints: Bool { replyCount < hints.count }

    /// Returns whether the server replied to a blocking read without entries much too early.
    func wasNotWaitedFor(_ now: UInt64) -> Bool {
        guard case .changes(_, _, let block?) = commands.last, block >= Self.leastWait else { return false }
        return now &- sentAt < block * 1_000_000 / 2
    }

    /// In milliseconds. A shorter wait may end early for other reasons.
    private static let leastWait: UInt64 = 100

    /// The named records that were not read.
    var pendingHints: ArraySlice<ReplicaHints.Hint> { hints.dropFirst(replyCount) }
}

/// Counts since the start.
struct ReplicaCounts: Sendable, Equatable {
    /// The number of stream entries.
    var entries: UInt64 = 0
    /// The number of unrecognised entries.
    var strangeEntries: UInt64 = 0
    /// The number of readings of everything, by reason.
    var rereads: [ReplicaReread.Reason: UInt64] = [:]
    /// The number of keys that are not in canonical form, in the last complete reading.
    var faultyKeys = 0
    var lastFault: ReplicaFault?
}

/// The records that entries named and that were not read again, each once, in the order of the entries.
struct ReplicaHints: Sendable {
    /// A record, and the parts of it that entries named as changed.
    struct Hint: Sendable, Equatable {
        let key: ReplicaKey
        var parts: RecordParts
    }

    private var keys: [ReplicaKey] = []
    private var known: [ReplicaKey: RecordParts] = [:]

    var count: Int { keys.count }

    func contains(_ key: ReplicaKey) -> Bool { known[key] != nil }

    mutating func add(_ hint: Hint) {
        if known.updateValue((known[hint.key] ?? []).union(hint.parts), forKey: hint.key) == nil {
            keys.append(hint.key)
        }
    }

    /// Removes and returns the first hints, at most `maximum`.
    mutating func take(_ maximum: Int) -> [Hint] {
        let taken = keys.prefix(maximum).map { Hint(key: $0, parts: known.removeValue(forKey: $0) ?? []) }
        keys.removeFirst(taken.count)
        return taken
    }

    /// Lets no record become less restrictive: the withdrawals that entries named may be lost together with other
    /// writes.
    mutating func forgetWithdrawals() {
        for key in keys { known[key] = [] }
    }

    /// Returns unanswered hints to the front of the queue.
    mutating func putBack(_ taken: some Sequence<Hint>) {
        var missing: [ReplicaKey] = []
        for hint in taken {
            let parts = (known[hint.key] ?? []).union(hint.parts)
            if known.updateValue(parts, forKey: hint.key) == nil { missing.append(hint.key) }
        }
        keys.insert(contentsOf: missing, at: 0)
    }
}
