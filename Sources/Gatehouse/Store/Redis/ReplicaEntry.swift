/// An entry of the stream of changes: names and values, one after the other.
struct ReplicaEntry: Sendable, Equatable {
    let id: ReplicaStreamID
    let fields: [[UInt8]]

    /// What an entry asks for.
    struct Hints: Sendable, Equatable {
        /// The records that changed.
        var keys: [ReplicaKey] = []
        /// The links that changed, by their names.
        var links: [String] = []
        /// Whether the entry is one that the contract knows.
        var isUnderstood = false
    }

    /// So many fields of an entry are looked at; none that the contract knows has more than two.
    static let maximumPairs = 16

    /// Which records to read again. The values of an entry do not count, only whom it names: two writers' entries may
    /// come in another order than their records.
    ///
    /// An entry that is not understood but names a uid asks for that user's record.
    var hints: Hints {
        let parts = Parts(fields)
        var hints = Hints(links: parts.links, isUnderstood: parts.isUnderstood)
        if parts.isOnlyLink { return hints }
        for uid in parts.uids { hints.add(uid, parts) }
        return hints
    }
}

extension ReplicaEntry.Hints {
    fileprivate mutating func add(_ uid: [UInt8], _ parts: Parts) {
        let sessions = parts.sessions.compactMap { ReplicaKey(user: uid, session: $0) }
        if sessions.count < parts.sessions.count { isUnderstood = false }
        keys += sessions
        guard parts.namesUser || !isUnderstood else { return }
        guard let user = ReplicaKey(user: uid) else { return isUnderstood = false }
        keys.append(user)
    }
}

/// The fields of an entry by their names.
private struct Parts {
    private(set) var uids: [[UInt8]] = []
    private(set) var sessions: [[UInt8]] = []
    /// Whether a user's own record changed.
    private(set) var namesUser = false
    private(set) var links: [String] = []
    private let isShaped: Bool

    init(_ fields: [[UInt8]]) {
        isShaped = fields.count.isMultiple(of: 2) && fields.count <= 2 * ReplicaEntry.maximumPairs
        for index in stride(from: 0, to: min(fields.count - 1, 2 * ReplicaEntry.maximumPairs), by: 2) {
            note(String(decoding: fields[index], as: UTF8.self), fields[index + 1])
        }
    }

    private mutating func note(_ name: String, _ value: [UInt8]) {
        switch name {
        case "uid": uids.append(value)
        case "session": sessions.append(value)
        case "valid_since", "disabled": namesUser = true
        case "link": links.append(String(decoding: value, as: UTF8.self))
        default: break
        }
    }

    var isOnlyLink: Bool { isUnderstood && !links.isEmpty && !namesUser && sessions.isEmpty }

    var isUnderstood: Bool {
        isShaped && uids.count == 1 && sessions.count <= 1 && links.count <= 1
            && (namesUser || links.count == 1 || sessions.count == 1)
    }
}
