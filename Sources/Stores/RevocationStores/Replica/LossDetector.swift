import GatewayCore
import Revocation

/// When to look whether Redis has lost records, and what was found. Times are monotonic nanoseconds.
struct LossDetector {
    /// How long after a reading what looks lost may still be a change whose entry is on its way.
    static let settling: UInt64 = 1_000_000_000
    /// How often to look again while something is lost.
    static let interval: UInt64 = 5_000_000_000
    /// How many names are looked up in one tick of the loop.
    static let slice = 1000
    /// How many records are written back before others are looked for.
    static let batch = 10_000

    /// Whether a part of the history was lost.
    var wentBack = false
    /// What was found last.
    var reported = StoreLoss()
    /// Whether the next reading of everything is to be believed.
    var isAcceptanceAsked = false
    var isRestoring = false
    private var dueAt: UInt64?

    mutating func check(at time: UInt64) { dueAt = time }
    mutating func stop() { dueAt = nil }

    /// Whether it is time to look: the view holds everything that was acknowledged before `confirmed`.
    func isDue(_ confirmed: UInt64) -> Bool { dueAt.map { confirmed >= $0 } ?? false }
}

/// The names of the records that the view has hashes of, as many as are kept.
struct KnownRecords {
    /// The most names. Each takes about 150 bytes.
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
        /// A session that was revoked.
        case session(String)
    }

    let user: UserKey
    let content: Content

    /// Nil for what cannot be written back, such as a faulty record.
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
