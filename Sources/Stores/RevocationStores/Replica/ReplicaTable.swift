import Revocation

/// The key of a user's or session's record, in the canonical form of `RedisKeys`.
struct ReplicaKey: Sendable, Hashable {
    let bytes: [UInt8]
    let isSession: Bool

    /// Parses a key from Redis. `nil` if it is not the key of a record in canonical form, since no lookup finds such
    /// a key.
    ///
    /// - Parameter names: Memory for decoding.
    init?(parsing key: UnsafeRawBufferPointer, names: inout [UInt8]) {
        guard let kind = RedisRecordKey(parsing: key, names: &names) else { return nil }
        bytes = Array(key)
        isSession = kind != .user
    }

    /// Creates the key of a user's record.
    init(_ user: UserKey) {
        bytes = RedisKeys.user(user)
        isSession = false
    }

    /// Creates the key of a session's record. `nil` for a name that no session can have.
    init?(_ user: UserKey, session: [UInt8]) {
        guard let session = String(validating: session, as: UTF8.self),
            (try? StoreBounds.check(session: session)) != nil
        else { return nil }
        self.init(user, session: session)
    }

    /// Creates the key of a session's record. The name was checked.
    init(_ user: UserKey, session: String) {
        bytes = RedisKeys.session(user, session)
        isSession = true
    }
}

extension ReplicaKey: CustomStringConvertible {
    /// The key as text, for logs.
    var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A writer of records into the view, under the hashes of their names.
struct ReplicaTable {
    let view: StoreView
    private let keys: StoreKeyMaker
    private var names: [UInt8] = []
    private var reread: StoreView.Reread?
    /// Whether Redis is authoritative if it lacks records of the view without an entry that withdraws them.
    var acceptsLoss = false

    init(view: StoreView, keys: StoreKeyMaker) {
        self.view = view
        self.keys = keys
        names.reserveCapacity(RedisRecordKey.maximumNames)
    }

    /// Writes a record from Redis. Only the parts in `changed` can become less restrictive. All readers see the
    /// record after the return.
    ///
    /// - Returns: The new record of the view.
    /// - Throws: `StoreError` if libcrypto cannot hash the name. The view then lacks the record.
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
        // Keys are parsed before they are requested.
        case nil: return .none
        }
    }

    /// Adds the restrictions of a record that this gateway has written.
    ///
    /// - Returns: Whether the view lacked one of them.
    /// - Throws: `StoreError` if libcrypto cannot hash the name.
    mutating func restrict(_ key: ReplicaKey, to word: RecordWord) throws -> Bool {
        let old = try self.word(key)
        let merged = word.restricting(old)
        guard merged != old else { return false }
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user: view.setUser(try userKey(), to: merged)
        case .session(let nameCount): view.setSession(try sessionKey(nameCount), to: merged)
        case nil: return false
        }
        return true
    }

    /// Returns the view's record of a key.
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

    /// Removes all records, before the view is confirmed for the first time.
    func removeAll() {
        let everything = view.beginReread()
        for slice in 0..<StoreView.sweepSlices { _ = view.sweep(everything, slice: slice) }
    }

    mutating func beginReread() {
        reread = view.beginReread()
    }

    /// The number of slices of a sweep. Those of users come first.
    static let sweepSlices = 2 * StoreView.sweepSlices

    /// Handles the records of one slice that were not set since the reading `token` began, so that Redis does not
    /// contain them.
    ///
    /// Users are kept. Sessions expire in Redis, so they are removed, unless other losses suggest that they are lost
    /// too.
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

    /// The last reading.
    var lastReread: StoreView.Reread? { reread }
}
