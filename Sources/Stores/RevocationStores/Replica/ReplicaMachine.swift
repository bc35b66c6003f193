import GatewayCore
import Revocation

/// The state machine that follows the records in Redis, which other programs write. A pure value: events and
/// monotonic time in, actions out.
///
///     away ──(connected)──> comparing ──> following ──> following ...
///      ^                        ^             │
///      └────────(lost)──────────┼─(an error)──┤
///                            resting <────────┘
///
/// It sends pipelined commands in rounds, and plans the next round after the last reply. A round reads the records
/// that stream entries named, a slice of all records during a reading, the state of the stream (`XINFO`), and the
/// entries after the last one seen. It waits for an entry only if there is no other work.
///
/// Each confirmation is proven. `XINFO` reports the last id and the number of entries ever added; when the replica
/// has reached that id, it must have seen as many. If so, and after the named records were read, the table contains
/// all writes that were acknowledged before the `XINFO` was sent. Otherwise entries are missing: everything is read
/// again, and nothing is confirmed until then.
///
/// On another server everything is read again in any case. If its history contains the last entry seen, the replica
/// also follows the entries after it, since they name the records that may become less restrictive.
struct ReplicaMachine: Sendable {
    enum Event: Sendable {
        /// A connection is ready, without commands so far.
        case connected
        /// The connection is lost. Pending commands receive no replies.
        case lost
        /// Replies are overdue on a connection that appears to be open.
        case failed(ReplicaFault)
        /// The reply to the first pending command.
        case replied(ReplicaReply)
        /// The time of `deadline` has come. An earlier tick has no effect.
        case tick
        /// A new reading of everything is requested, one that begins after this event.
        case rereadRequested
    }

    enum Action: Sendable, Equatable {
        /// Send these commands in this order.
        case send([ReplicaCommand])
        /// Ignore replies to earlier commands.
        case forget
        /// Write this record, of which entries named these parts as changed.
        case set(ReplicaKey, RecordWord, changing: RecordParts)
        /// A link of this name has another owner.
        case linkChanged(String)
        /// Redis lost a part of the history that the table was read from.
        case historyWentBack
        /// The table is from a file, and withdrawals may have been missed since: remove all records.
        case discardRecords
        /// A reading of everything begins.
        case beginReread
        /// A reading of everything has ended, and the stream continued until then: remove records that were not set
        /// since it began.
        case sweep
        /// The table contains all writes that were acknowledged before this time.
        case confirm(at: UInt64)
        case log(ReplicaEvent)
    }

    enum Phase: Sendable, Equatable {
        /// Without a connection.
        case away
        /// Pausing after an error.
        case resting(until: UInt64)
        /// Checking whether the stream is the one that was followed.
        case comparing
        case following
    }

    let timing: ReplicaTiming
    let bounds: ReplicaBounds
    /// Whether readings have to check that the server stores all records: while a slot is being moved, `SCAN` returns
    /// only a part of the keys.
    let isOfCluster: Bool
    var phase = Phase.away
    /// The current server, if it reports its identity.
    var server: ReplicaIdentity?
    /// The server that the table was read from, to which `position` belongs.
    var followedServer: ReplicaIdentity?
    /// The position in the stream. `nil` before the first reading.
    var position: ReplicaPosition?
    /// The state of the stream of a server whose history is being compared with `position`.
    var comparedInformation: ReplicaStreamInformation?
    /// Whether the table is from a file and was not confirmed yet.
    var isSaved = false
    /// Whether the table contains everything up to `position`.
    var isWhole = false
    var reread: ReplicaReread?
    /// The reason for a reading that starts with the next connection.
    var wantedReread: ReplicaReread.Reason?
    var nextReread: UInt64 = .max
    var isRereadRequested = false
    /// The end of a reading whose missing records were not removed yet.
    var sweepAfter: UInt64?
    /// The number of keys of the current reading that are not in canonical form.
    var faultyKeys = 0
    var check = ReplicaCheck()
    var hints = ReplicaHints()
    var round = ReplicaRound()
    var counts = ReplicaCounts()
    var failuresInARow = 0
    var loggedFaults: Set<String> = []
    var linesLeft: Int
    var jitter: KeyJitter

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - isOfCluster: Whether the store is in a slot of a cluster.
    ///   - seed: The seed of the jitter.
    init(
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds(), isOfCluster: Bool = false,
        seed: UInt64
    ) {
        self.timing = timing
        self.bounds = bounds
        self.isOfCluster = isOfCluster
        linesLeft = bounds.logged
        jitter = KeyJitter(seed: seed)
    }

    /// Starts with a table from a file, as after a lost connection. Called before the first event.
    mutating func resume(_ saved: SavedPosition, now: UInt64) {
        (position, followedServer) = (saved.position, saved.server)
        (isWhole, isSaved) = (true, true)
        // Any time within the interval: otherwise all gateways of a fleet read everything at the same time again.
        nextReread = now &+ jitter.duration(from: 0, through: timing.reread.nanoseconds)
    }

    /// The position to save with the table. `nil` while the table may lack something, or for a server without identity.
    var savedPosition: SavedPosition? {
        guard phase == .following, appliedThrough != nil, !isSaved, let position, let followedServer else { return nil }
        return SavedPosition(position: position, server: followedServer)
    }

    /// Appends the actions for `event` in order.
    mutating func handle(_ event: Event, now: UInt64, into actions: inout [Action]) {
        switch event {
        case .connected: connected(now, &actions)
        case .lost: lost(&actions)
        case .failed(let fault): rest(fault, now, &actions)
        case .replied(let reply): replied(reply, now, &actions)
        case .tick: tick(now, &actions)
        case .rereadRequested: isRereadRequested = true
        }
    }

    /// The entry up to which the table is complete. `nil` while something is known to be missing.
    var appliedThrough: ReplicaStreamID? {
        guard isWhole, hints.count == 0, !round.hasPendingHints else { return nil }
        return position?.id
    }

    /// Returns whether the table may lack the record that an entry of this gateway names. `false` before the first
    /// reading, since nothing uses the table yet.
    func mayLack(_ entry: ReplicaStreamID, of key: ReplicaKey) -> Bool {
        guard let position else { return false }
        // On another server, ids are not comparable. During a reading, the entry may be before its start.
        guard phase == .following, isWhole, position.id >= entry else { return true }
        return hints.contains(key) || round.pendingHints.contains { $0.key == key }
    }

    /// The time of the next `tick`. `nil` if none is needed.
    var deadline: UInt64? {
        guard case .resting(let end) = phase else { return nil }
        return end
    }

    private mutating func connected(_ now: UInt64, _ actions: inout [Action]) {
        abandon(&actions)
        compare(now, &actions)
    }

    private mutating func lost(_ actions: inout [Action]) {
        abandon(&actions)
        phase = .away
    }

    private mutating func tick(_ now: UInt64, _ actions: inout [Action]) {
        guard case .resting(let end) = phase, now >= end else { return }
        compare(now, &actions)
    }
}

extension ReplicaMachine {
    /// Pauses after a fault, then compares as after a new connection.
    mutating func rest(_ fault: ReplicaFault, _ now: UInt64, _ actions: inout [Action]) {
        abandon(&actions)
        if phase == .away { return }
        counts.lastFault = fault
        failuresInARow = min(failuresInARow + 1, 16)
        let longest = timing.maximumBackoff.nanoseconds
        let pause = min(timing.backoff.nanoseconds << UInt64(failuresInARow - 1), longest)
        phase = .resting(until: now &+ jitter.duration(from: pause / 2, through: pause))
        if loggedFaults.count < bounds.logged, loggedFaults.insert(fault.kind).inserted {
            actions.append(.log(.refused(fault)))
        }
    }

    /// Abandons the current round. Named records are requested again, and a reading starts again.
    private mutating func abandon(_ actions: inout [Action]) {
        hints.putBack(round.pendingHints)
        if !round.isOver { actions.append(.forget) }
        round = ReplicaRound()
        comparedInformation = nil
        check.forget()
        if let reread { wantedReread = reread.reason }
        reread = nil
    }

    /// Resets the count of failures.
    mutating func recovered(_ actions: inout [Action]) {
        if failuresInARow > 0 { actions.append(.log(.recovered)) }
        failuresInARow = 0
        counts.lastFault = nil
        loggedFaults = []
    }

    /// Returns whether another line about a record may be logged.
    mutating func mayLog() -> Bool {
        guard linesLeft > 0 else { return false }
        linesLeft -= 1
        return true
    }
}
