/// What waits, in the order in which it came, with a bounded number of places that those who ask for them share, as a pure value.
///
/// Anybody may have every place, as long as nobody else wants one. When all are taken, who comes gets a place of whoever has the
/// most, so that one who takes many costs himself only.
package struct FairWaitQueue<Waiter, Owner: Hashable> {
    /// What who comes gets.
    package enum Admission {
        case admitted
        /// Admitted to the place of this one, the latest of the owner who has the most.
        case replaced(Waiter)
        /// All places are taken, and who comes has as many as anybody.
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
        // By more than one, else two would take one place from each other for ever.
        guard tally.count(of: owner) + 1 < tally.most, let evicted = evict() else { return .refused }
        take(waiter, owner)
        return .replaced(evicted)
    }

    /// Takes out all that match, in their order.
    package mutating func remove(where matches: (Waiter) -> Bool) -> [Waiter] {
        guard seats.contains(where: { matches($0.waiter) }) else { return [] }
        let leaving = seats.filter { matches($0.waiter) }
        seats.removeAll { matches($0.waiter) }
        for seat in leaving { tally.remove(seat.owner) }
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
