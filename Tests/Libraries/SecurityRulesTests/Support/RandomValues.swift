@testable import SecurityRules

/// Values of all kinds from a seed, including hostile ones.
struct RandomValues {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64 (S. Vigna).
    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ z >> 31) % UInt64(bound))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }

    mutating func value(depth: Int = 2) -> RuleValue {
        switch next(below: depth > 0 ? 14 : 10) {
        case 0: pick([nil, true, false])
        case 1, 2: .integer(pick(Self.integers))
        case 3: .float(pick(Self.floats))
        case 4, 5: .string(text())
        case 6: .bytes(Array(text().utf8))
        case 7: .time(pick(Self.seconds), Int32(next(below: 1_000_000_000)))
        case 8: .span(pick(Self.seconds), Int32(next(below: 1_000_000_000)))
        case 9: next(below: 4) == 0 ? .unreadable : .path(RulePath((0..<next(below: 4)).map { _ in text() }))
        case 10: .list(values(depth))
        case 11: .map(map(depth))
        case 12: set(depth)
        default: .mapDiff(RuleMapDiff(map(depth), map(depth)))
        }
    }

    private mutating func values(_ depth: Int) -> [RuleValue] {
        (0..<pick([0, 1, 2, 3, 12])).map { _ in value(depth: depth - 1) }
    }

    private mutating func map(_ depth: Int) -> RuleMap {
        RuleMap((0..<pick([0, 1, 2, 3, 12])).map { _ in (key: text(), value: value(depth: depth - 1)) })
    }

    private mutating func set(_ depth: Int) -> RuleValue {
        var work = WorkBudget()
        return (try? RuleSet(values(depth), &work)).map(RuleValue.set) ?? .unreadable
    }

    mutating func text() -> String {
        let piece = pick(Self.pieces)
        return next(below: 20) == 0 ? String(repeating: piece, count: 300) : piece
    }

    private static let integers: [Int64] = [
        .min, .min + 1, -315_576_000_001, -1, 0, 1, 2, 7, 31, 1970, 9999, 315_576_000_000, 1 << 53, .max - 1, .max,
    ]
    private static let floats: [Double] = [
        -.infinity, -9_223_372_036_854_775_808, -0.5, -0.0, 0, .leastNonzeroMagnitude, 0.5, 2, 9_007_199_254_740_992,
        9_223_372_036_854_775_808, .greatestFiniteMagnitude, .infinity, .nan,
    ]
    private static let seconds: [Int64] = [
        -315_576_000_000, -62_135_596_800, -86_401, -1, 0, 1, 951_782_400, 253_402_300_799, 315_576_000_000,
    ]
    private static let pieces = [
        "", "a", "b", "role", "s", "w", "ns", "1", "-9223372036854775808", "9223372036854775808", "1e400", "true", "/",
        "/a/%2F", "%", "%FF", "$(a)", "$()", "\u{0}", "e\u{301}", "\u{E9}", "\u{DF}", "\u{130}",
        "\u{1F468}\u{200D}\u{1F469}", "\u{10FFFF}", "(a*)*b", "[", ".", " \t\u{2003}",
    ]
}
