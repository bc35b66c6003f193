/// A consistent hash ring: each server has points on it, and a value belongs to the server of the next point.
///
/// A server's points are derived from its name only. Adding or removing a server therefore moves only its own share,
/// and all workers and gateways agree. A lookup costs O(log n) and does not allocate.
struct HashRing: Sendable {
    /// The number of points of a server with the smallest weight, unless the maximum is exceeded.
    static let pointsEach = 128
    /// The maximum number of points of all servers together. Beyond it, each server has one.
    static let maximumPoints = 16_384

    private struct Point {
        let place: UInt64
        let server: Int
    }

    private let points: [Point]

    /// Creates a ring of servers, each with a hash of its name and its weight.
    init(_ servers: [(server: Int, name: UInt64, weight: Int)]) {
        let unit = max(1, servers.reduce(0) { Self.commonDivisor($0, $1.weight) })
        let halvings = Self.halvings(servers.map { $0.weight / unit })
        var points: [Point] = []
        for (server, name, weight) in servers {
            for index in 0..<Self.points(of: weight / unit, halvings) {
                points.append(Point(place: (name ^ UInt64(index).mixed).mixed, server: server))
            }
        }
        points.sort { $0.place == $1.place ? $0.server < $1.server : $0.place < $1.place }
        self.points = points
    }

    var count: Int { points.count }

    /// Returns how often all numbers of points are halved to stay within the maximum. Halving in steps keeps the other
    /// servers' points stable when a server is added or removed.
    private static func halvings(_ weights: [Int]) -> Int {
        var halvings = 0
        while weights.reduce(0, { $0 + points(of: $1, halvings) }) > maximumPoints,
            weights.contains(where: { points(of: $0, halvings) > 1 })
        {
            halvings += 1
        }
        return halvings
    }

    private static func points(of weight: Int, _ halvings: Int) -> Int {
        max(1, (weight * pointsEach) >> halvings)
    }

    /// Returns the first acceptable server at or after the value's position. `nil` if no server is acceptable.
    func first(from value: UInt64, where willDo: (Int) -> Bool) -> Int? {
        var index = lowerBound(value)
        for _ in points.indices {
            if index == points.count { index = 0 }
            if willDo(points[index].server) { return points[index].server }
            index += 1
        }
        return nil
    }

    private func lowerBound(_ value: UInt64) -> Int {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].place < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }
}
