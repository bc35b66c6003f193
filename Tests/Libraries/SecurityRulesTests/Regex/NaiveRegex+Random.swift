@testable import SystemFixtures

/// Generates small patterns and texts. They are the same for each seed.
struct RegexGenerator {
    private var random: SeededRandom
    private var groups = 0
    /// Whether patterns that match the empty text may be repeated.
    private let repeatsEmpty: Bool

    init(seed: UInt64, repeatsEmpty: Bool) {
        random = SeededRandom(seed: seed)
        self.repeatsEmpty = repeatsEmpty
    }

    mutating func text() -> [Character] {
        (0..<Int.random(in: 0...7, using: &random)).map { _ in letter() }
    }

    private mutating func letter() -> Character {
        ["a", "a", "b", "b", "é", "-"].randomElement(using: &random) ?? "a"
    }

    mutating func pattern() -> NaiveRegex {
        groups = 0
        return node(3)
    }

    private mutating func node(_ depth: Int) -> NaiveRegex {
        switch Int.random(in: 0..<(depth == 0 ? 6 : 14), using: &random) {
        case 0...2: return .letter(letter())
        case 3:
            return .anyOf(Set([letter(), letter()].filter { $0 != "-" } + ["b"]), negated: Bool.random(using: &random))
        case 4: return [.start, .end, .boundary, .noBoundary].randomElement(using: &random) ?? .empty
        case 5: return .empty
        case 6, 7: return .sequence(nodes(depth))
        case 8, 9: return .choice(nodes(depth))
        case 10:
            groups += 1
            let number = groups
            return .group(node(depth - 1), number)
        default: return repeated(depth)
        }
    }

    private mutating func nodes(_ depth: Int) -> [NaiveRegex] {
        (0..<Int.random(in: 2...3, using: &random)).map { _ in node(depth - 1) }
    }

    private mutating func repeated(_ depth: Int) -> NaiveRegex {
        let inner = node(depth - 1)
        guard repeatsEmpty || !inner.isNullable else { return inner }
        let counts: [(Int, Int?)] = [(0, nil), (1, nil), (0, 1), (2, nil), (2, 2), (1, 3), (0, 0)]
        let (low, high) = counts.randomElement(using: &random) ?? (0, nil)
        return .repeated(inner, low, high, greedy: Bool.random(using: &random))
    }
}
