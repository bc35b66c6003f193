@testable import SystemFixtures

extension SeededRandom {
    /// A number below `bound`, which is above zero. The standard library's generic way takes longer than the parsers.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

    /// True once in `times`.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }
}
