/// How much of everything the replica asks for at once.
struct ReplicaBounds: Sendable {
    /// Entries of the stream in one answer.
    var entries = 1000
    /// Records read again in one round because entries named them; what is more waits for the next round.
    var hints = 1000
    /// What a slice of the keys is asked to hold (`SCAN COUNT`). Redis may answer with some more.
    var slice = 1000
    /// Records read in one round because a slice named them.
    var records = 2000
    /// What can be under way on the connection, heartbeats included.
    var inFlight: Int { hints + records + 64 }
    /// Lines of the log about faulty records, keys and entries, for each reading of everything.
    var logged = 100
}

/// When the replica does what.
struct ReplicaTiming: Sendable {
    /// How long a read of the stream waits for an entry.
    var block: Duration = .seconds(5)
    /// While entries come, how often the stream is compared with what was seen.
    var check: Duration = .milliseconds(250)
    /// How often everything is read again.
    var reread: Duration = .seconds(3600)
    /// The pause between slices, where everything is read again without need.
    var pause: Duration = .milliseconds(20)
    /// The pause after an error, doubled for each further one.
    var backoff: Duration = .milliseconds(100)
    /// The longest pause after errors.
    var maximumBackoff: Duration = .seconds(5)

    init() {}

    /// Reads that are short enough for a table that answers only while it is no older than this: while nothing happens,
    /// the age grows for as long as a read waits.
    init(maximumStaleness: Duration) {
        block = min(block, maximumStaleness / 4)
        check = min(check, maximumStaleness / 4)
    }
}
