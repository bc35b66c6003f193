/// Counts by owner, with the maximum, each in constant time.
struct Tally<Owner: Hashable> {
    private var counts: [Owner: Int] = [:]
    /// The owners by their counts. No set is empty.
    private var owners: [Int: Set<Owner>] = [:]
    /// The highest count.
    private(set) var most = 0

    /// One of the owners with the highest count.
    var leader: Owner? { owners[most]?.first }

    func count(of owner: Owner) -> Int { counts[owner] ?? 0 }

    mutating func add(_ owner: Owner) {
        let count = count(of: owner)
        move(owner, from: count, to: count + 1)
        most = max(most, count + 1)
    }

    mutating func remove(_ owner: Owner) {
        let count = count(of: owner)
        guard count > 0 else { return }
        move(owner, from: count, to: count - 1)
        // If no other owner has the highest count, it decreases by one.
        if owners[most] == nil { most -= 1 }
    }

    private mutating func move(_ owner: Owner, from old: Int, to new: Int) {
        owners[old]?.remove(owner)
        if owners[old]?.isEmpty == true { owners[old] = nil }
        counts[owner] = new == 0 ? nil : new
        if new > 0 { owners[new, default: []].insert(owner) }
    }
}

extension Tally: Sendable where Owner: Sendable {}
