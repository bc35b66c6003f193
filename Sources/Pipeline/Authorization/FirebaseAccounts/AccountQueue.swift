import NIOCore

/// Accounts that wait for a call, in the order in which they came, and who wants to know of each, as a pure value.
struct AccountQueue<Asker: Sendable>: Sendable {
    typealias UID = AccountLookup.UID

    private struct Place: Sendable {
        var askers: [Asker]
        let enteredAt: UInt64
    }

    private var order = CircularBuffer<UID>()
    private var places: [UID: Place] = [:]

    var count: Int { order.count }
    var isEmpty: Bool { order.isEmpty }
    /// When the first that waits came.
    var oldest: UInt64? { order.first.flatMap { places[$0]?.enteredAt } }

    /// Joins those who wait for the account; false when nobody does.
    mutating func join(_ uid: UID, _ asker: Asker) -> Bool {
        guard places[uid] != nil else { return false }
        places[uid]?.askers.append(asker)
        return true
    }

    /// The account waits for nobody yet.
    mutating func enter(_ uid: UID, _ asker: Asker, now: UInt64) {
        order.append(uid)
        places[uid] = Place(askers: [asker], enteredAt: now)
    }

    /// Takes out the first accounts.
    mutating func take(_ most: Int) -> [(uid: UID, askers: [Asker])] {
        var taken: [(uid: UID, askers: [Asker])] = []
        while taken.count < most, let uid = order.popFirst() {
            taken.append((uid, places.removeValue(forKey: uid)?.askers ?? []))
        }
        return taken
    }

    /// Takes out those who came at `time` or before, and tells who waited.
    mutating func removeAll(enteredBy time: UInt64) -> [Asker] {
        var late: [Asker] = []
        while let oldest, oldest <= time { late += take(1).flatMap(\.askers) }
        return late
    }
}
