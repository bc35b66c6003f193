import Redis
import Revocation

/// What is asked of Redis.
enum ReplicaCommand: Sendable, Equatable {
    /// `INFO`: who it is that answers.
    case identity
    /// `XINFO STREAM`: what the stream of changes came to.
    case information
    /// `XREAD`: entries after an id, at most so many; waits for the first one, at most so many milliseconds, if told to.
    case changes(after: ReplicaStreamID, count: Int, block: UInt64?)
    /// `SCAN`: the next slice of the keys.
    case slice(cursor: UInt64)
    /// `HMGET`: one record.
    case record(ReplicaKey)
}

/// What Redis answered, once its shape was checked.
enum ReplicaAnswer: Sendable, Equatable {
    /// Nil where the server does not tell.
    case identity(ReplicaIdentity?)
    /// Nil where there is no stream.
    case information(ReplicaStreamInformation?)
    case changes([ReplicaEntry])
    case slice(ReplicaSlice)
    /// The record, which can be faulty.
    case record(RecordWord)
    /// An error, or an answer of another shape than the command's.
    case refused(ReplicaFault)
}

extension ReplicaAnswer {
    /// Whether it is an answer to `command`.
    func fits(_ command: ReplicaCommand) -> Bool {
        switch (command, self) {
        case (.identity, .identity), (.information, .information), (.changes, .changes), (.slice, .slice),
            (.record, .record):
            true
        default: false
        }
    }
}

/// Who answers, and whose data it has.
struct ReplicaIdentity: Sendable, Equatable {
    /// The names of the process (`run_id`) and of the data's history (`master_replid`).
    var names: [[UInt8]]
    /// Whether it is no copy of another server, which may lack what was acknowledged there.
    var isMaster: Bool
}

/// What the stream of changes came to.
struct ReplicaStreamInformation: Sendable, Equatable {
    /// The last id that was given out, even if its entry is gone.
    var last: ReplicaStreamID
    /// How many entries were ever added; nil from a Redis before 7.
    var added: UInt64?
    /// The id of the first entry that is still there.
    var first: ReplicaStreamID?

    /// What a stream that is not there came to.
    static let absent = ReplicaStreamInformation(last: .zero, added: 0, first: nil)
}

/// A slice of the keys of all records.
struct ReplicaSlice: Sendable, Equatable {
    /// Where the next slice begins; 0 after the last.
    var cursor: UInt64
    var keys: [ReplicaKey] = []
    /// Keys that look like a record's and are spelled otherwise than we spell them.
    var faultyKeys: [[UInt8]] = []
}

/// Why the store could not be followed for a moment.
struct ReplicaFault: Error, Sendable, Hashable {
    /// The command and the kind of error, such as `XREAD NOPERM`; one line of the log for each.
    let kind: String
    /// For people.
    let message: String
}

extension ReplicaCommand {
    /// Matches the keys of users and sessions, and little else.
    static let pattern = "gatehouse:[us]*"

    /// The command as it is sent.
    ///
    /// - Parameter sliceSize: how many keys a slice is asked to hold.
    func formatted(sliceSize: Int) -> RedisCommand {
        switch self {
        case .identity: RedisCommand(["INFO"])
        case .information: RedisCommand(["XINFO", "STREAM", RedisKeys.changes])
        case .changes(let id, let count, let block):
            RedisCommand(
                ["XREAD", "COUNT", count] + (block.map { ["BLOCK", Int64(clamping: $0)] } ?? [])
                    + ["STREAMS", RedisKeys.changes, id.description])
        case .slice(let cursor):
            RedisCommand(["SCAN", String(cursor), "MATCH", Self.pattern, "COUNT", sliceSize])
        case .record(let key):
            RedisCommand(["HMGET", key.bytes] + (key.isSession ? StoredSession.redisFields : StoredUser.redisFields))
        }
    }
}

extension ReplicaFault {
    static func otherShape(_ command: ReplicaCommand) -> ReplicaFault {
        ReplicaFault(kind: "\(command.name) shape", message: "an answer of another shape than the command's")
    }

    static let notMaster = ReplicaFault(
        kind: "INFO role", message: "the server is a replica, which may lack what was acknowledged; name its master")

    static let noWait = ReplicaFault(
        kind: "XREAD BLOCK", message: "the server does not wait for entries, or was told not to")

    static let otherOrder = ReplicaFault(
        kind: "XREAD order", message: "entries that do not follow the one that they were asked after")
}

extension ReplicaCommand {
    /// The command's name in Redis.
    var name: String {
        switch self {
        case .identity: "INFO"
        case .information: "XINFO"
        case .changes: "XREAD"
        case .slice: "SCAN"
        case .record: "HMGET"
        }
    }
}
