/// Bounds on the work of the replica at one time.
struct ReplicaBounds: Sendable {
    /// The maximum number of stream entries in one reply.
    var entries = 1000
    /// The maximum number of records that one round reads because entries named them. The rest waits for the next
    /// round.
    var hints = 1000
    /// The requested number of keys in a slice (`SCAN COUNT`). Redis may return more.
    var slice = 1000
    /// The maximum number of records that one round reads because a slice named them.
    var records = 2000
    /// The maximum number of outstanding replies, including heartbeats.
    var inFlight: Int { hints + records + 64 }
    /// The maximum number of log lines about faulty records, keys and entries in each reading of everything.
    var logged = 100
}

/// The schedule of the replica.
struct ReplicaTiming: Sendable {
    /// The maximum time that a read of the stream waits for an entry.
    var block: Duration = .seconds(5)
    /// The interval of comparisons with the stream's state while entries arrive.
    var check: Duration = .milliseconds(250)
    /// The interval of readings of everything.
    var reread: Duration = .seconds(3600)
    /// The timeout of a round, in addition to the wait of its last command. It is generous, since a late reply costs
    /// less than a repeated reading from a busy server.
    var reply: Duration = .seconds(5)
    /// The pause between slices of a scheduled reading.
    var pause: Duration = .milliseconds(20)
    /// The pause before a reading of everything restarts because the slot of a cluster is being moved.
    var slotPause: Duration = .milliseconds(500)
    /// The pause after an error. It doubles with each further error.
    var backoff: Duration = .milliseconds(100)
    /// The maximum pause after errors.
    var maximumBackoff: Duration = .seconds(5)

    init() {}

    /// Creates a schedule that keeps the view younger than `maximumStaleness`. The age of an idle view grows while a
    /// read waits.
    ///
    /// - Parameter isOfCluster: Whether the store is in a slot of a cluster. A read that waits at a node is not
    ///   redirected when the stream is moved to another node, and so delays the entries there.
    init(maximumStaleness: Duration, isOfCluster: Bool = false) {
        block = min(isOfCluster ? .seconds(1) : block, maximumStaleness / 4)
        check = min(check, maximumStaleness / 4)
    }
}
