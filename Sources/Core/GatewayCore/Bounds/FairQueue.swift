import NIOCore

/// A bounded queue that is shared fairly by its owners, as a pure value.
///
/// The owners take turns; the elements of one owner are in first-in, first-out order. When the queue is full, a new
/// element evicts the latest element of the owner with the most. A client with many entries evicts only its own.
package struct FairQueue<Element: Sendable, Owner: Hashable & Sendable>: Sendable {
    /// The result of `enter`.
    package enum Admission {
        case admitted
        /// The element was admitted in place of this one, which was evicted.
        case replaced(Element)
        /// The queue is full, and the owner has as many elements as any other.
        case refused
    }

    private struct Seat: Sendable {
        let element: Element
        let enteredAt: UInt64
    }

    let limit: Int
    package private(set) var count = 0
    /// A lower bound of the entry times. `nil` if the queue is empty.
    package private(set) var oldest: UInt64?
    private var lanes: [Owner: CircularBuffer<Seat>] = [:]
    /// The owners with elements, each once, in the order of their turns.
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
        // The difference must exceed one. Otherwise two owners could evict each other's elements forever. So the lane
        // of the owner with the most never becomes empty.
        guard tally.count(of: owner) + 1 < tally.most, let leader = tally.leader,
            let evicted = lanes[leader]?.popLast()
        else { return .refused }
        leave(leader, 1)
        take(Seat(element: element, enteredAt: now), owner)
        return .replaced(evicted.element)
    }

    /// Removes and returns the next element.
    package mutating func next() -> Element? {
        guard let owner = turns.popFirst(), let lease = lanes[owner]?.popFirst() else { return nil }
        if lanes[owner]?.isEmpty == false {
            turns.append(owner)
        } else {
            lanes[owner] = nil
        }
        leave(owner, 1)
        return lease.element
    }

    /// Removes and returns all elements that entered at or before `time`.
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
        while let lease = lanes[owner]?.first, lease.enteredAt <= time {
            late.append(lease.element)
            lanes[owner]?.removeFirst()
        }
        leave(owner, late.count)
        if let first = lanes[owner]?.first { oldest = min(oldest ?? .max, first.enteredAt) } else { lanes[owner] = nil }
        return late
    }

    private mutating func take(_ lease: Seat, _ owner: Owner) {
        if lanes[owner] == nil { turns.append(owner) }
        lanes[owner, default: []].append(lease)
        tally.add(owner)
        count += 1
        if oldest == nil { oldest = lease.enteredAt }
    }

    private mutating func leave(_ owner: Owner, _ places: Int) {
        for _ in 0..<places { tally.remove(owner) }
        count -= places
        if count == 0 { oldest = nil }
    }
}
