/// Writes records into the view under the hashes of their names.
struct ReplicaTable {
    let view: StoreView
    private let keys: StoreKeyMaker
    private var names: [UInt8] = []
    private var reread: StoreView.Reread?

    init(view: StoreView, keys: StoreKeyMaker) {
        self.view = view
        self.keys = keys
        names.reserveCapacity(RedisRecordKey.maximumNames)
    }

    /// When this returns, every reader sees the record.
    ///
    /// - Throws: when libcrypto cannot hash the name; then the view lacks the record.
    mutating func set(_ key: ReplicaKey, to word: RecordWord) throws {
        switch key.bytes.withUnsafeBytes({ RedisRecordKey(parsing: $0, names: &names) }) {
        case .user: view.setUser(try userKey(), to: word)
        case .session(let uidCount): view.setSession(try sessionKey(uidCount), to: word)
        // Keys were parsed before they were asked for.
        case nil: break
        }
    }

    private func userKey() throws -> StoreKey {
        try names.withUnsafeBytes { names in try keys.key(user: names) }
    }

    private func sessionKey(_ uidCount: Int) throws -> StoreKey {
        try names.withUnsafeBytes { names in
            try keys.key(
                user: UnsafeRawBufferPointer(rebasing: names[..<uidCount]),
                session: UnsafeRawBufferPointer(rebasing: names[uidCount...]))
        }
    }

    mutating func beginReread() {
        reread = view.beginReread()
    }

    /// Removes one slice of what was not set since the reading began that `token` names.
    func sweep(slice: Int, of token: StoreView.Reread) {
        _ = view.sweep(token, slice: slice)
    }

    /// The last reading that was begun.
    var lastReread: StoreView.Reread? { reread }
}
