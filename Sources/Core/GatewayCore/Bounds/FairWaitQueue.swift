/// A bounded first-in, first-out queue of waiters that is shared fairly by their owners, as a pure value.
///
/// One owner can use the whole capacity while there is no demand of others. When the queue is full, a new waiter
/// evicts the latest one of the owner with the most. A client with many entries evicts only its own.
package struct FairWaitQueue<Waiter, Owner: Hashable> {
    /// The result of `enter`.
    package enum Admission {
        case admitted
        /// The waiter was admitted in place of this one, the latest of the owner with the most.
        case replaced(Waiter)
        /// The queue is full, and the owner has as many waiters as any other.
        case refused
    }

    private struct Seat {
        let waiter: Waiter
        let owner: Owner
    }

    let limit: Int
    private var seats: [Seat] = []
    private var tally = Tally<Owner>()

    package init(limit: Int) {
        self.limit = limit
    }

    package var count: Int { seats.count }
    package var isEmpty: Bool { seats.isEmpty }
    var waiters: some Sequence<Waiter> { seats.lazy.map(\.waiter) }

    func count(of owner: Owner) -> Int { tally.count(of: owner) }

    package mutating func enter(_ waiter: Waiter, of owner: Owner) -> Admission {
        guard seats.count >= limit else {
            take(waiter, owner)
            return .admitted
        }
        // The difference must exceed one. Otherwise two owners could evict each other's waiters forever.
        guard tally.count(of: owner) + 1 < tally.most, let evicted = evict() else { return .refused }
        take(waiter, owner)
        return .replaced(evicted)
    }

    /// Removes and returns all matching waiters in order.
    package mutating func remove(where matches: (Waiter) -> Bool) -> [Waiter] {
        guard seats.contains(where: { matches($0.waiter) }) else { return [] }
        let leaving = seats.filter { matches($0.waiter) }
        seats.removeAll { matches($0.waiter) }
        for lease in leaving { tally.remove(lease.owner) }
        return leaving.map(\.waiter)
    }

    private mutating func take(_ waiter: Waiter, _ owner: Owner) {
        seats.append(Seat(waiter: waiter, owner: owner))
        tally.add(owner)
    }

    private mutating func evict() -> Waiter? {
        guard let owner = tally.leader, let index = seats.lastIndex(where: { $0.owner == owner }) else { return nil }
        tally.remove(owner)
        return seats.remove(at: index).waiter
    }
}
