import Revocation

/// The records that entries named and that were not read again yet, each once, in the order of the entries.
struct ReplicaHints: Sendable {
    /// A record, and what entries said of it that changed.
    struct Hint: Sendable, Equatable {
        let key: ReplicaKey
        var parts: RecordParts
    }

    private var keys: [ReplicaKey] = []
    private var known: [ReplicaKey: RecordParts] = [:]

    var count: Int { keys.count }

    mutating func add(_ hint: Hint) {
        if known.updateValue((known[hint.key] ?? []).union(hint.parts), forKey: hint.key) == nil {
            keys.append(hint.key)
        }
    }

    /// The first of them, at most `maximum`.
    mutating func take(_ maximum: Int) -> [Hint] {
        let taken = keys.prefix(maximum).map { Hint(key: $0, parts: known.removeValue(forKey: $0) ?? []) }
        keys.removeFirst(taken.count)
        return taken
    }

    /// Puts back what was taken and not answered; before all others.
    mutating func putBack(_ taken: some Sequence<Hint>) {
        var missing: [ReplicaKey] = []
        for hint in taken {
            let parts = (known[hint.key] ?? []).union(hint.parts)
            if known.updateValue(parts, forKey: hint.key) == nil { missing.append(hint.key) }
        }
        keys.insert(contentsOf: missing, at: 0)
    }
}
