@testable import SystemFixtures

/// Where a stream is cut into the pieces in which it arrives.
enum Cuts {
    /// Ascending offsets at random: mostly a few, now and then each one.
    static func random(_ count: Int, _ random: inout SeededRandom) -> [Int] {
        guard count > 1 else { return [] }
        if count < 200, random.once(in: 64) { return Array(1..<count) }
        return (0..<random.below(4)).map { _ in 1 + random.below(count - 1) }.sorted()
    }
}
