import NIOCore

/// What waits for its turn, with a bounded number of places that the owners share, as a pure value.
///
/// The owners take turns, whoever came first among each one's own. When all places are taken, who comes gets the place of the latest of
/// whoever has the most, so that one who takes many costs himself only.
package struct FairQueue<Element: Sendable, Owner: Hashable & Sendable>: Sendable {
    /// What who comes gets.
    package enum Admission {
        case admitted
        /// Admitted to the place of this one, which is out.
        case replaced(Element)
        /// All places are taken, and who comes has as many as anybody.
        case refused
    }

    private struct Seat: Sendable {
        let element: Element
        let enteredAt: UInt64
    }

    let limit: Int
    package private(set) var count = 0
    /// No later than when the oldest that waits came; nil while nothing waits.
    package private(set) var oldest: UInt64?
    private var lanes: [Owner: CircularBuffer<Seat>] = [:]
    /// Those who have something in a lane, each once, the next first.
    private var turns = CircularBuffer<Owner>()
    private var tally = Tally<Owner>()

    package init(limit: Int) {
        self.limit = limit
    }

    package var isEmpty: Bool { count == 0 }

    package mutating func enter(_ element: Element, of owner: Owner, now: UInt64) -> Admission {
        guard count >= limit else {
            take(Seat(element: element, enteredAt: now), owner)
            return .admitted
        }
        // By more than one, else two would take one place from each other for ever. So the lane of who has the most is never emptied.
        guard tally.count(of: owner) + 1 < tally.most, let leader = tally.leader,
            let evicted = lanes[leader]?.popLast()
        else { return .refused }
        leave(leader, 1)
        take(Seat(element: element, enteredAt: now), owner)
        return .replaced(evicted.element)
    }

    /// Takes out whose turn it is.
    package mutating func next() -> Element? {
        guard let owner = turns.popFirst(), let seat = lanes[owner]?.popFirst() else { return nil }
        if lanes[owner]?.isEmpty == false {
            turns.append(owner)
        } else {
            lanes[owner] = nil
        }
        leave(owner, 1)
        return seat.element
    }

    /// Takes out all that came at `time` or before.
    package mutating func removeAll(enteredBy time: UInt64) -> [Element] {
        guard let oldest, oldest <= time else { return [] }
        var left: [Element] = []
        self.oldest = nil
        for owner in Array(turns) { left += removeAll(of: owner, enteredBy: time) }
        turns = CircularBuffer(turns.filter { lanes[$0] != nil })
        return left
    }

    private mutating func removeAll(of owner: Owner, enteredBy time: UInt64) -> [Element] {
        var late: [Element] = []
        while let seat = lanes[owner]?.first, seat.enteredAt <= time {
            late.append(seat.element)
            lanes[owner]?.removeFirst()
        }
        leave(owner, late.count)
        if let first = lanes[owner]?.first { oldest = min(oldest ?? .max, first.enteredAt) } else { lanes[owner] = nil }
        return late
    }

    private mutating func take(_ seat: Seat, _ owner: Owner) {
        if lanes[owner] == nil { turns.append(owner) }
        lanes[owner, default: []].append(seat)
        tally.add(owner)
        count += 1
        if oldest == nil { oldest = seat.enteredAt }
    }

    private mutating func leave(_ owner: Owner, _ places: Int) {
        for _ in 0..<places { tally.remove(owner) }
        count -= places
        if count == 0 { oldest = nil }
    }
}
