import GatewayCore
import Revocation

/// How a table follows the records that others write to Redis. A pure value: events and the monotonic time in, actions
/// out.
///
///     away ──(connected)──> comparing ──> following ──> following ...
///      ^                        ^             │
///      └────────(lost)──────────┼─(an error)──┤
///                            resting <────────┘
///
/// It asks in rounds of pipelined commands, and plans the next round when the last answer has come. A round reads the
/// records that entries of the stream named, a slice of all records where everything is read again, what the stream
/// came to (`XINFO`), and the entries after the last one seen, waiting for one only where there is nothing else to do.
///
/// What is confirmed is proven. An `XINFO` tells the last id and how many entries were ever added; once the tail has
/// passed that id, it must have seen as many. If so, and when the records that those entries named were read, the table
/// holds everything that was acknowledged before that `XINFO` was sent. If not, entries are missing, whatever became of
/// them, and everything is read again; nothing is confirmed until that is done.
struct ReplicaMachine: Sendable {
    enum Event: Sendable {
        /// A connection is ready; nothing was asked on it yet.
        case connected
        /// The connection is gone. What was asked and not answered is never answered.
        case lost
        /// What was asked is not answered in time, on a connection that seems to be there still.
        case failed(ReplicaFault)
        /// The answer to the first command that has none yet.
        case answered(ReplicaAnswer)
        /// The time of `deadline` has come, or any other.
        case tick
        /// Everything is to be read again, beginning later than now.
        case rereadAsked
    }

    enum Action: Sendable, Equatable {
        /// Ask all of this, in this order, on the one connection.
        case send([ReplicaCommand])
        /// Answers to what was asked before no longer count.
        case forget
        /// Redis holds this record, and entries said that these parts of it changed.
        case set(ReplicaKey, RecordWord, changing: RecordParts)
        /// Whose a link of this name is changed.
        case linkChanged(String)
        /// Redis lost a part of its history that the table was read from.
        case historyWentBack
        /// Everything is read again from here on.
        case beginReread
        /// Everything was read again: remove what was not set since.
        case sweep
        /// The table holds everything that was acknowledged before this time.
        case confirm(at: UInt64)
        case log(ReplicaEvent)
    }

    enum Phase: Sendable, Equatable {
        /// No connection.
        case away
        /// Pausing after an error.
        case resting(until: UInt64)
        /// Asking whether the stream still is the one that was followed.
        case comparing
        case following
    }

    let timing: ReplicaTiming
    let bounds: ReplicaBounds
    var phase = Phase.away
    /// Who answers, where it tells.
    var server: ReplicaIdentity?
    /// Whom the table was read from; `position` is one of its stream.
    var followedServer: ReplicaIdentity?
    /// Up to where the stream was followed; nil before anything was read.
    var position: ReplicaPosition?
    /// Whether the table holds everything up to `position`: nothing is known to be missing.
    var isWhole = false
    var reread: ReplicaReread?
    /// Why everything must be read again, once there is a connection.
    var wantedReread: ReplicaReread.Reason?
    var nextReread: UInt64 = .max
    var isRereadAsked = false
    /// Keys of the present reading that are spelled otherwise than we spell them.
    var faultyKeys = 0
    var check = ReplicaCheck()
    var hints = ReplicaHints()
    var round = ReplicaRound()
    var counts = ReplicaCounts()
    var failuresInARow = 0
    var loggedFaults: Set<String> = []
    var linesLeft: Int
    var jitter: KeyJitter

    /// - Parameter seed: what the jitter comes from.
    init(timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds(), seed: UInt64) {
        self.timing = timing
        self.bounds = bounds
        linesLeft = bounds.logged
        jitter = KeyJitter(seed: seed)
    }

    /// Appends what to do because of `event`, in this order.
    mutating func handle(_ event: Event, now: UInt64, into actions: inout [Action]) {
        switch event {
        case .connected: connected(now, &actions)
        case .lost: lost(&actions)
        case .failed(let fault): rest(fault, now, &actions)
        case .answered(let answer): answered(answer, now, &actions)
        case .tick: tick(now, &actions)
        case .rereadAsked: isRereadAsked = true
        }
    }

    /// The entry up to which the table holds everything; nil while something is known to be missing.
    var appliedThrough: ReplicaStreamID? {
        guard isWhole, hints.count == 0, !round.hasUnansweredHints else { return nil }
        return position?.id
    }

    /// When a `tick` is needed; nil while only another event can change anything.
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
    /// Pauses, and then compares as after a new connection.
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

    /// Gives up what was asked: records that entries named are asked for again, a reading of everything begins anew.
    private mutating func abandon(_ actions: inout [Action]) {
        hints.putBack(round.unansweredHints)
        if !round.isOver { actions.append(.forget) }
        round = ReplicaRound()
        check.forget()
        if let reread { wantedReread = reread.reason }
        reread = nil
    }

    /// Counts the failures as over.
    mutating func recovered(_ actions: inout [Action]) {
        if failuresInARow > 0 { actions.append(.log(.recovered)) }
        failuresInARow = 0
        counts.lastFault = nil
        loggedFaults = []
    }

    /// Whether one more line about single records may be logged.
    mutating func mayLog() -> Bool {
        guard linesLeft > 0 else { return false }
        linesLeft -= 1
        return true
    }
}
