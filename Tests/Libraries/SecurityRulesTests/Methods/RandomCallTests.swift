import Testing

@testable import SecurityRules
@testable import SystemFixtures

@Suite struct RandomCallTests {
    @Test(arguments: Builtin.allCases)
    func `a call on random values makes no more content than its work`(builtin: Builtin) {
        var random = RandomValues(seed: UInt64(builtin.rawValue))
        for _ in 0..<Thoroughness.rounds(100, full: 400) {
            let receiver: RuleValue? = random.next(below: 8) == 0 ? nil : random.value()
            let arguments = (0..<random.next(below: Arguments.limit + 1)).map { _ in random.value() }
            var work = WorkBudget(random.pick([0, 10, 100, 10_000, RuleLimits.work]))
            let before = work.left
            guard let made = try? builtin.call(receiver, arguments, &work) else { continue }
            let given = ([receiver].compactMap { $0 } + arguments).reduce(0) { $0 + $1.contentSize }
            let paid = (before - work.left) * 16 + 64
            #expect(
                made.contentSize <= max(paid, given), "\(builtin.name) of \(arguments.map(\.text)) made \(made.text)")
        }
    }

    @Test func `equality and order of two values are symmetric`() {
        var random = RandomValues(seed: 7)
        for _ in 0..<Thoroughness.rounds(1000, full: 4000) {
            let (a, b) = (random.value(), random.value())
            let (left, right) = (Self.isEqual(a, b), Self.isEqual(b, a))
            // The reason of a failure can depend on the side, but two values must not contradict each other.
            if let left, let right { #expect(left == right, "\(a.text) == \(b.text)") }
            #expect(Self.order(a, b)?.reversed == Self.order(b, a), "\(a.text) < \(b.text)")
            if let order = Self.order(a, b), let left { #expect((order == .equal) == left, "\(a.text), \(b.text)") }
            #expect(a.text.unicodeScalars.count <= RuleLimits.textLength)
        }
    }

    private static func isEqual(_ a: RuleValue, _ b: RuleValue) -> Bool? {
        var work = WorkBudget()
        return try? RuleValue.equal(a, b, &work)
    }

    private static func order(_ a: RuleValue, _ b: RuleValue) -> RuleOrder? {
        var work = WorkBudget()
        return try? RuleValue.compare(a, b, &work)
    }
}

extension RuleValue {
    /// The number of bytes of a text, or 16 per element. Nested values do not count, because they are shared.
    fileprivate var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .list(let elements): elements.count * 16
        case .set(let set): set.elements.count * 16
        case .map(let map): map.count * 16
        case .mapDiff(let diff): (diff.map.count + diff.other.count) * 16
        case .path(let path): path.segments.reduce(0) { $0 + $1.utf8.count }
        default: 0
        }
    }
}
