import GatewayCore
import Revocation

/// The schedule and result of checks for records that Redis has lost. Times are monotonic nanoseconds.
struct LossDetector {
    /// The delay of a check after a reading, in which entries of concurrent changes arrive.
    static let settling: UInt64 = 1_000_000_000
    /// The interval of checks while records are lost.
    static let interval: UInt64 = 5_000_000_000
    /// The number of names that are looked up in one tick of the event loop.
    static let slice = 1000
    /// The maximum number of records that are written back at once.
    static let batch = 10_000

    /// Whether a part of the history was lost.
    var wentBack = false
    /// The result of the last check.
    var reported = StoreLoss()
    /// Whether the next reading of everything is authoritative.
    var isAcceptanceRequested = false
    var isRestoring = false
    private var dueAt: UInt64?

    mutating func check(at time: UInt64) { dueAt = time }
    mutating func stop() { dueAt = nil }

    /// Whether a check is due: the view contains all writes that were acknowledged before `confirmed`.
    func isDue(_ confirmed: UInt64) -> Bool { dueAt.map { confirmed >= $0 } ?? false }
}

/// The names of the records in the view, up to a limit. The view itself has only hashes.
struct KnownRecords {
    /// The maximum number of names. Each takes about 150 bytes.
    static let limit = 1_000_000

    private var keys: Set<ReplicaKey> = []

    var all: [ReplicaKey] { Array(keys) }

    mutating func record(_ key: ReplicaKey, isThere: Bool) {
        if !isThere { keys.remove(key) } else if keys.count < Self.limit { keys.insert(key) }
    }
}

/// A record to be written back.
struct LostRecord: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case user(UserRecord)
        /// A revoked session.
        case session(String)
    }

    let user: UserKey
    let content: Content

    /// `nil` for a record that cannot be written back, such as a faulty one.
    init?(_ key: ReplicaKey, _ word: RecordWord, names: inout [UInt8]) {
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user:
            guard case .record(let validSince, let disabled) = word.user,
                let name = String(validating: names, as: UTF8.self)
            else { return nil }
            user = UserKey(name: name)
            content = .user(UserRecord(validSince: validSince, disabled: disabled))
        case .session(let count):
            guard case .record(revoked: true, _, _) = word.session,
                let name = String(validating: names[..<count], as: UTF8.self),
                let session = String(validating: names[count...], as: UTF8.self)
            else { return nil }
            user = UserKey(name: name)
            content = .session(session)
        case nil: return nil
        }
    }
}
