import Revocation

/// Up to where the stream of changes was followed.
struct ReplicaPosition: Sendable, Equatable {
    /// The last entry seen, or the last id when everything began to be read.
    var id: ReplicaStreamID
    /// How many entries were added up to there; nil where Redis does not tell.
    var added: UInt64?
    /// Up to where a Redis that does not count entries has shown that none is missing.
    var shown: ReplicaStreamID

    init(_ information: ReplicaStreamInformation) {
        id = information.last
        added = information.added
        shown = information.last
    }

    /// Whether a stream that came to `information` has lost what was seen of it.
    func isAhead(of information: ReplicaStreamInformation) -> Bool {
        if information.last < id { return true }
        guard let added, let others = information.added else { return false }
        return others < added
    }

    mutating func advance(to entry: ReplicaEntry) {
        id = entry.id
        added = added.map { $0 &+ 1 }
    }
}

/// One reading of all records.
struct ReplicaReread: Sendable, Equatable {
    enum Reason: Sendable, Hashable {
        /// Nothing was read yet.
        case first
        case gap(ReplicaGap)
        /// The time has come; nothing is known to be missing.
        case due
    }

    let reason: Reason
    var cursor: UInt64 = 0
    /// Keys that were told and not asked for yet.
    var keys: [ReplicaKey] = []
    var isScanned = false
    /// When the next slice may be asked for; nil while one is under way.
    var nextSlice: UInt64?

    var isDone: Bool { isScanned && keys.isEmpty }
    /// Whether nothing can be confirmed before it is done.
    var isUrgent: Bool { reason != .due }
}

/// How it was noticed that entries are missing.
enum ReplicaGap: String, Sendable, Hashable, CaseIterable {
    /// The stream's last id is before the last one seen: deleted, or another server.
    case wentBack = "went-back"
    /// More or fewer entries were added than were seen.
    case countDiffers = "count-differs"
    /// Entries that were there before they were read no longer are.
    case missing
    /// Another server answers, or one that was started again, or it does not tell: it may have a record without the
    /// entry that told of it.
    case otherServer = "other-server"
}

/// A comparison with what the stream came to.
struct ReplicaCheck: Sendable {
    /// When the last `XINFO` was sent.
    private var askedAt: UInt64?
    /// What was told, until the tail has passed it.
    private(set) var pending: (information: ReplicaStreamInformation, sentAt: UInt64)?
    /// What is proven once so many more records were read.
    private(set) var proven: (at: UInt64, records: Int)?

    mutating func ask(_ now: UInt64) {
        askedAt = now
    }

    mutating func wait(for information: ReplicaStreamInformation) {
        pending = askedAt.map { (information, $0) }
    }

    /// What was told agrees with what was seen.
    ///
    /// - Parameter records: how many records are still to be read before it may be confirmed; nil where it may not.
    mutating func prove(afterRecords records: Int?) {
        if let pending, let records { proven = (pending.sentAt, records) }
        pending = nil
    }

    /// A record was read that an entry named.
    mutating func recordRead() {
        guard let proven, proven.records > 0 else { return }
        self.proven = (proven.at, proven.records - 1)
    }

    /// What to confirm now.
    mutating func takeProven() -> UInt64? {
        guard let proven, proven.records == 0 else { return nil }
        self.proven = nil
        return proven.at
    }

    /// Whether it is time to ask again.
    func isDue(_ now: UInt64, every interval: UInt64) -> Bool {
        guard pending == nil, proven == nil else { return false }
        guard let askedAt else { return true }
        return now &- askedAt >= interval
    }

    /// Asks again in the next round, unless an answer is still to be compared.
    mutating func hasten() {
        askedAt = nil
    }

    /// Gives up what was not confirmed; the next round asks again.
    mutating func forget() {
        (pending, proven, askedAt) = (nil, nil, nil)
    }
}

/// The commands that were sent together, and how many have their answer.
struct ReplicaRound: Sendable {
    private(set) var commands: [ReplicaCommand] = []
    /// The records that the commands at the beginning read because entries named them.
    private(set) var hints: [ReplicaHints.Hint] = []
    private(set) var answered = 0
    private let sentAt: UInt64
    /// Whether the entries that this round asked for follow an id that no longer counts.
    var readIsVoid = false

    init(_ commands: [ReplicaCommand] = [], hints: [ReplicaHints.Hint] = [], at now: UInt64 = 0) {
        self.commands = commands
        self.hints = hints
        sentAt = now
    }

    var isOver: Bool { answered == commands.count }

    /// The command that the next answer is for, and why it reads a record if an entry named that.
    var next: (command: ReplicaCommand, hint: ReplicaHints.Hint?)? {
        isOver ? nil : (commands[answered], hasUnansweredHints ? hints[answered] : nil)
    }

    /// The answer to `next` was one that can be used.
    mutating func advance() {
        answered += 1
    }

    var hasUnansweredHints: Bool { answered < hints.count }

    /// Whether it asked to wait for an entry, and the answer that there is none has come far too early.
    func wasNotWaitedFor(_ now: UInt64) -> Bool {
        guard case .changes(_, _, let block?) = commands.last, block >= Self.leastWait else { return false }
        return now &- sentAt < block * 1_000_000 / 2
    }

    /// In milliseconds; a shorter wait may end early for reasons of its own.
    private static let leastWait: UInt64 = 100

    /// The records that entries named and that were not read.
    var unansweredHints: ArraySlice<ReplicaHints.Hint> { hints.dropFirst(answered) }
}

/// What happened so far.
struct ReplicaCounts: Sendable, Equatable {
    /// Entries of the stream that were seen.
    var entries: UInt64 = 0
    /// Entries that the contract does not know.
    var strangeEntries: UInt64 = 0
    /// Readings of everything that were begun.
    var rereads: [ReplicaReread.Reason: UInt64] = [:]
    /// Keys that look like a record's and are spelled otherwise, in the last complete reading.
    var faultyKeys = 0
    var lastFault: ReplicaFault?
}

/// The records that entries named and that were not read again yet, each once, in the order of the entries.
struct ReplicaHints: Sendable {
    /// A record, and what entries said of it that changed.
    struct Hint: Sendable, Equatable {
        let key: ReplicaKey
        var parts: RecordParts
    }

    private var keys: [ReplicaKey] = []
    private var known: [ReplicaKey: RecordParts] = [:]

    var count: Int { keys.count }

    mutating func add(_ hint: Hint) {
        if known.updateValue((known[hint.key] ?? []).union(hint.parts), forKey: hint.key) == nil {
            keys.append(hint.key)
        }
    }

    /// The first of them, at most `maximum`.
    mutating func take(_ maximum: Int) -> [Hint] {
        let taken = keys.prefix(maximum).map { Hint(key: $0, parts: known.removeValue(forKey: $0) ?? []) }
        keys.removeFirst(taken.count)
        return taken
    }

    /// Puts back what was taken and not answered; before all others.
    mutating func putBack(_ taken: some Sequence<Hint>) {
        var missing: [ReplicaKey] = []
        for hint in taken {
            let parts = (known[hint.key] ?? []).union(hint.parts)
            if known.updateValue(parts, forKey: hint.key) == nil { missing.append(hint.key) }
        }
        keys.insert(contentsOf: missing, at: 0)
    }
}
