/// The records that entries named and that were not read again yet, each once, in the order of the entries.
struct ReplicaHints: Sendable {
    private var keys: [ReplicaKey] = []
    private var known: Set<ReplicaKey> = []

    var count: Int { keys.count }

    mutating func add(_ key: ReplicaKey) {
        if known.insert(key).inserted { keys.append(key) }
    }

    /// The first of them, at most `maximum`.
    mutating func take(_ maximum: Int) -> [ReplicaKey] {
        let taken = Array(keys.prefix(maximum))
        keys.removeFirst(taken.count)
        known.subtract(taken)
        return taken
    }

    /// Puts back what was taken and not answered; before all others.
    mutating func putBack(_ taken: some Sequence<ReplicaKey>) {
        let missing = taken.filter { known.insert($0).inserted }
        keys.insert(contentsOf: missing, at: 0)
    }
}
