/// Which server a value belongs to: each server has points on a ring, a value belongs to the next point (consistent hashing).
///
/// A server's points follow from its name alone, so that one that comes or goes moves its own share only, and all workers and gateways
/// agree. Finding costs O(log n) and allocates nothing.
struct HashRing: Sendable {
    /// The points of a server of the smallest weight, where not too many points would come together.
    static let pointsEach = 128
    /// The most points, all servers together; beyond, each server has one.
    static let maximumPoints = 16_384

    private struct Point {
        let place: UInt64
        let server: Int
    }

    private let points: [Point]

    /// - Parameter servers: each with a hash of its name, and its weight.
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

    /// How often the points of all are halved until they are not too many. By steps, so that a server that comes or goes seldom changes
    /// how many points the others have.
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

    /// The first server from the value's place on that will do; nil: none does.
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
