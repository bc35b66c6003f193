/// The latest samples of a fixed number of values, in memory of a fixed size.
struct SampleRing {
    /// The value of a column that is unknown at the time of a sample.
    static let unknown = UInt32.max

    let columns, capacity: Int
    /// The number of samples, at most `capacity`.
    private(set) var count = 0
    private var next = 0
    /// One run of `capacity` cells for each column.
    private var cells: [UInt32]
    private var times: [Int64]

    /// Creates an empty ring of `4 * columns * capacity` bytes.
    init(columns: Int, capacity: Int) {
        self.columns = columns
        self.capacity = capacity
        cells = Array(repeating: 0, count: columns * capacity)
        times = Array(repeating: 0, count: capacity)
    }

    /// Adds a sample, which replaces the oldest one of a full ring. Missing columns are 0. Times never decrease: a
    /// clock that was set back continues with the last time.
    mutating func append(_ row: [UInt32], at time: Int64) {
        for column in 0..<columns { cells[column * capacity + next] = column < row.count ? row[column] : 0 }
        times[next] = max(time, last ?? .min)
        next = (next + 1) % capacity
        count = min(count + 1, capacity)
    }

    /// Sets a column of all samples to one value, for a new meaning of the column.
    mutating func clear(_ column: Int, to value: UInt32) {
        for slot in 0..<capacity { cells[column * capacity + slot] = value }
    }

    /// The time of the latest sample. `nil` without samples.
    var last: Int64? { count == 0 ? nil : times[(next + capacity - 1) % capacity] }

    /// The times of the samples after a time, oldest first.
    func times(after time: Int64) -> [Int64] { slots.map { times[$0] }.filter { $0 > time } }

    /// Returns a column of the latest `count` samples, oldest first. `nil` for an unknown value.
    func values(_ column: Int, latest count: Int) -> [UInt64?] {
        slots.suffix(count).map { slot in
            let value = cells[column * capacity + slot]
            return value == Self.unknown ? nil : UInt64(value)
        }
    }

    /// The slots in use, oldest first.
    private var slots: [Int] { (0..<count).map { (next + capacity - count + $0) % capacity } }
}

/// The assignment of a bounded number of columns to names, which a reload may change.
struct SeriesSlots {
    let limit: Int
    /// The name of each assigned slot.
    private(set) var names: [String] = []

    init(limit: Int) { self.limit = limit }

    /// Assigns slots to current names, in their order. A new name takes a free slot, or that of a name that is no
    /// longer current.
    ///
    /// - Returns: The slot of each name, `nil` without one, and the slots that changed their name.
    mutating func assign(_ current: [String]) -> (slots: [String: Int], replaced: [Int]) {
        var slots: [String: Int] = [:]
        for (slot, name) in names.enumerated() { slots[name] = slot }
        let wanted = Set(current)
        var free = names.indices.filter { !wanted.contains(names[$0]) }[...]
        var replaced: [Int] = []
        for name in current where slots[name] == nil {
            if names.count < limit {
                slots[name] = names.count
                names.append(name)
            } else if let slot = free.popFirst() {
                slots[names[slot]] = nil
                slots[name] = slot
                names[slot] = name
                replaced.append(slot)
            }
        }
        return (slots, replaced)
    }
}
