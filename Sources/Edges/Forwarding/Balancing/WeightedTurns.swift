/// Weighted round robin, evenly distributed within each sequence of turns.
///
/// The `k`th turn of a server is due at `(k - 1/2) / weight`. The earliest due server is next; among equals, the one
/// whose last turn is oldest. A turn costs O(log n) and does not allocate.
struct WeightedTurns: Sendable {
    private struct Turn {
        var due: UInt64
        var order: UInt64
        var server: Int

        func isBefore(_ other: Turn) -> Bool { due == other.due ? order < other.order : due < other.due }
    }

    /// The interval of turns at weight 1. It is large, so that large weights have exact shares.
    private static let unit: UInt64 = 1 << 44
    /// The value beyond which all due times are reduced equally.
    private static let horizon: UInt64 = 1 << 62

    // A heap: each element precedes its two children.
    private var heap: [Turn] = []
    private var orders: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    /// Restarts with these servers, in this order among equals.
    mutating func begin(_ servers: [Int], weight: (Int) -> UInt64) {
        heap.removeAll(keepingCapacity: true)
        orders = 0
        for server in servers {
            heap.append(Turn(due: Self.step(weight(server)) / 2, order: orders, server: server))
            orders += 1
            siftUp(heap.count - 1)
        }
    }

    /// Returns the next server. There must be at least one.
    mutating func next(weight: (Int) -> UInt64) -> Int {
        let server = heap[0].server
        guard heap.count > 1 else { return server }
        heap[0].due &+= Self.step(weight(server))
        heap[0].order = orders
        orders &+= 1
        if heap[0].due > Self.horizon { moveBack() }
        siftDown()
        return server
    }

    private static func step(_ weight: UInt64) -> UInt64 { unit / max(1, weight) }

    private mutating func moveBack() {
        let least = heap.lazy.map(\.due).min() ?? 0
        for index in heap.indices { heap[index].due -= least }
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            let left = 2 * index + 1
            var least = index
            if left < heap.count, heap[left].isBefore(heap[least]) { least = left }
            if left + 1 < heap.count, heap[left + 1].isBefore(heap[least]) { least = left + 1 }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
