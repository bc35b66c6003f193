import Revocation

/// The name of a hash that holds a user's or a session's record, spelled as `RedisKeys` spells it.
struct ReplicaKey: Sendable, Hashable {
    let bytes: [UInt8]
    let isSession: Bool

    /// A key that Redis told; nil for one that is not of a record, or is spelled otherwise than we spell it: who asks
    /// for that name does not find it, so it is nobody's.
    ///
    /// - Parameter names: memory to work in.
    init?(told key: UnsafeRawBufferPointer, names: inout [UInt8]) {
        guard let kind = RedisRecordKey(parsing: key, names: &names) else { return nil }
        bytes = Array(key)
        isSession = kind != .user
    }

    /// The key of a user's record.
    init(_ user: UserKey) {
        bytes = RedisKeys.user(user)
        isSession = false
    }

    /// The key of a session's record; nil for a name that no session can have.
    init?(_ user: UserKey, session: [UInt8]) {
        guard let session = String(validating: session, as: UTF8.self),
            (try? StoreBounds.check(session: session)) != nil
        else { return nil }
        bytes = RedisKeys.session(user, session)
        isSession = true
    }
}

extension ReplicaKey: CustomStringConvertible {
    /// The key as text, for logs.
    var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Writes records into the view under the hashes of their names.
struct ReplicaTable {
    let view: StoreView
    private let keys: StoreKeyMaker
    private var names: [UInt8] = []
    private var reread: StoreView.Reread?
    /// Whether Redis is believed where it holds less than the view without an entry that says so.
    var acceptsLoss = false

    init(view: StoreView, keys: StoreKeyMaker) {
        self.view = view
        self.keys = keys
        names.reserveCapacity(RedisRecordKey.maximumNames)
    }

    /// Writes what Redis holds; only parts that `changed` names become weaker than what the view has. When this returns, every reader sees the record.
    ///
    /// - Returns: what the view has now.
    /// - Throws: when libcrypto cannot hash the name; then the view lacks the record.
    mutating func set(_ key: ReplicaKey, to word: RecordWord, changing parts: RecordParts) throws -> RecordWord {
        let parts: RecordParts = acceptsLoss ? .all : parts
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user:
            let key = try userKey()
            let merged = word.keeping(view.users.word(key), changing: parts)
            view.setUser(key, to: merged)
            return merged
        case .session(let nameCount):
            let key = try sessionKey(nameCount)
            let merged = word.keeping(view.sessions.word(key), changing: parts)
            view.setSession(key, to: merged)
            return merged
        // Keys were parsed before they were asked for.
        case nil: return .none
        }
    }

    /// What the view has under a key.
    mutating func word(_ key: ReplicaKey) throws -> RecordWord {
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user: view.users.word(try userKey())
        case .session(let nameCount): view.sessions.word(try sessionKey(nameCount))
        case nil: .none
        }
    }

    private func userKey() throws -> StoreKey {
        try names.withUnsafeBytes { names in try keys.key(userName: names) }
    }

    private func sessionKey(_ nameCount: Int) throws -> StoreKey {
        try names.withUnsafeBytes { names in
            try keys.key(
                userName: UnsafeRawBufferPointer(rebasing: names[..<nameCount]),
                session: UnsafeRawBufferPointer(rebasing: names[nameCount...]))
        }
    }

    mutating func beginReread() {
        reread = view.beginReread()
    }

    /// How many slices a sweep has: those of users first.
    static let sweepSlices = 2 * StoreView.sweepSlices

    /// Looks after one slice of what was not set since the reading began that `token` names: Redis does not hold it any more.
    ///
    /// Sessions expire in Redis, so they are removed; but where something is lost, theirs may be, too.
    func sweep(slice: Int, of token: StoreView.Reread, losesHistory: Bool) {
        let shard = slice % StoreView.sweepSlices
        if acceptsLoss {
            if slice < StoreView.sweepSlices { _ = view.sweep(token, slice: shard) }
        } else if slice < StoreView.sweepSlices {
            view.keepUsers(token, slice: shard)
        } else if losesHistory || view.users.kept > 0 {
            view.keepSessions(token, slice: shard)
        } else {
            view.sweepSessions(token, slice: shard)
        }
    }

    /// The last reading that was begun.
    var lastReread: StoreView.Reread? { reread }
}
