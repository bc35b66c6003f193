/// A number of events that refills over time, at a constant rate.
struct FrameBudget: Sendable {
    private let capacity: Int
    /// The time in which one event is refilled, in nanoseconds.
    private let interval: UInt64
    private var left: Int
    private var refilled: UInt64

    /// Creates a full budget of `capacity` events per `period` nanoseconds.
    init(_ capacity: Int, per period: UInt64, now: UInt64) {
        self.capacity = capacity
        interval = max(1, period / UInt64(max(1, capacity)))
        left = capacity
        refilled = now
    }

    /// Takes one event. Returns whether the budget allowed it.
    mutating func spend(now: UInt64) -> Bool {
        if left < capacity { refill(now: now) } else { refilled = now }
        left -= 1
        return left >= 0
    }

    /// Adds events in advance, up to the capacity.
    mutating func add(_ count: Int) {
        left = min(capacity, left + count)
    }

    private mutating func refill(now: UInt64) {
        guard now > refilled else { return }
        let gained = (now - refilled) / interval
        left = min(capacity, left + Int(min(gained, UInt64(capacity))))
        refilled += gained * interval
    }
}
